import { expect, test } from 'vitest';
import {
  at,
  eventsIn,
  expectError,
  expectEventSchema,
  expectSchema,
  listAt,
  orderOf,
  type StartedSimulator,
  startedSimulator,
  textAt,
} from '../testing.ts';

async function storeWith({ upload, post }: StartedSimulator, ...filenames: string[]) {
  const ids: string[] = [];
  for (const name of filenames) ids.push(textAt((await upload('x', name, 'assistants')).body, 'id'));
  const { body } = await post('/vector_stores', { name: 'Handbook', file_ids: ids, metadata: { team: 'a' } });
  return { id: textAt(body, 'id'), ids, body };
}

test('indexes files after a while, except unreadable ones', async () => {
  const simulator = await startedSimulator();
  const { id, ids, body } = await storeWith(simulator, 'a.pdf', 'b.csv');
  expectSchema('VectorStoreObject', body);
  expect(body).toMatchObject({ status: 'in_progress', file_counts: { in_progress: 2, total: 2 }, usage_bytes: 0 });
  await simulator.advance(60_000);
  const later = (await simulator.get(`/vector_stores/${id}`)).body;
  expectSchema('VectorStoreObject', later);
  expect(later).toMatchObject({ status: 'completed', file_counts: { completed: 1, failed: 1 }, usage_bytes: 1 });
  const files = (await simulator.get(`/vector_stores/${id}/files?order=asc`)).body;
  expectSchema('ListVectorStoreFilesResponse', files);
  expect(listAt(files, 'data').map((file) => at(file, 'status'))).toEqual(['completed', 'failed']);
  const failed = (await simulator.get(`/vector_stores/${id}/files/${ids[1]}`)).body;
  expectSchema('VectorStoreFileObject', failed);
  expect(failed).toMatchObject({ last_error: { code: 'unsupported_file' } });
});

test('adds and removes files', async () => {
  const simulator = await startedSimulator();
  const { id } = await storeWith(simulator);
  const file = textAt((await simulator.upload('x', 'a.md', 'assistants')).body, 'id');
  expectError(await simulator.post(`/vector_stores/${id}/files`, { file_id: 'file-none' }), 404, {});
  expectSchema('VectorStoreFileObject', (await simulator.post(`/vector_stores/${id}/files`, { file_id: file })).body);
  const removed = await simulator.delete(`/vector_stores/${id}/files/${file}`);
  expectSchema('DeleteVectorStoreFileResponse', removed.body);
  expectError(await simulator.delete(`/vector_stores/${id}/files/${file}`), 404, {});
  expect((await simulator.get(`/files/${file}`)).status).toBe(200);
});

test('lists and deletes stores', async () => {
  const simulator = await startedSimulator();
  const { id } = await storeWith(simulator);
  const list = (await simulator.get('/vector_stores')).body;
  expectSchema('ListVectorStoresResponse', list);
  expectSchema('DeleteVectorStoreResponse', (await simulator.delete(`/vector_stores/${id}`)).body);
  expectError(await simulator.get(`/vector_stores/${id}`), 404, {});
});

test('adds several files at once, each with its attributes, or none of them', async () => {
  const simulator = await startedSimulator();
  const { post, get } = simulator;
  const { id } = await storeWith(simulator);
  const [first, second] = (await storeWith(simulator, 'a.md', 'b.md')).ids;
  expectError(await post(`/vector_stores/${id}/file_batches`, { file_ids: [first, 'file-none'] }), 404, {});
  expectError(await post(`/vector_stores/${id}/file_batches`, {}), 400, { param: 'file_ids' });
  const files = [{ file_id: first, attributes: { year: 2025 } }, { file_id: second }];
  const { body } = await post(`/vector_stores/${id}/file_batches`, { files });
  expectSchema('VectorStoreFileBatchObject', body);
  expect(body).toMatchObject({ status: 'in_progress', file_counts: { in_progress: 2, total: 2 } });
  const path = `/vector_stores/${id}/file_batches/${textAt(body, 'id')}`;
  await simulator.advance(60_000);
  expect((await get(path)).body).toMatchObject({ status: 'completed', file_counts: { completed: 2 } });
  const listed = (await get(`${path}/files?filter=completed&order=asc`)).body;
  expectSchema('ListVectorStoreFilesResponse', listed);
  expect(listAt(listed, 'data').map((file) => at(file, 'attributes'))).toEqual([{ year: 2025 }, {}]);
});

test('cancels what is not indexed yet of a batch', async () => {
  const simulator = await startedSimulator();
  const { post } = simulator;
  const { id, ids } = await storeWith(simulator, 'a.md');
  const store = textAt((await post('/vector_stores')).body, 'id');
  const batch = textAt((await post(`/vector_stores/${store}/file_batches`, { file_ids: ids })).body, 'id');
  const { body } = await post(`/vector_stores/${store}/file_batches/${batch}/cancel`);
  expectSchema('VectorStoreFileBatchObject', body);
  expect(body).toMatchObject({ status: 'cancelled', file_counts: { cancelled: 1, in_progress: 0 } });
  await simulator.advance(60_000);
  expect((await simulator.get(`/vector_stores/${store}`)).body).toMatchObject({ file_counts: { cancelled: 1 } });
  expect((await simulator.get(`/vector_stores/${id}`)).body).toMatchObject({ file_counts: { completed: 1 } });
});

test('narrows a search, and reads the text of a file', async () => {
  const simulator = await startedSimulator();
  const { post } = simulator;
  const { id, ids } = await storeWith(simulator, 'a.md', 'b.md', 'c.md');
  await simulator.advance(60_000);
  for (const [index, file] of ids.entries()) {
    const { body } = await post(`/vector_stores/${id}/files/${file}`, {
      attributes: { number: index, even: index % 2 === 0 },
    });
    expectSchema('VectorStoreFileObject', body);
  }
  const found = async (more: object) => {
    const { body } = await post(`/vector_stores/${id}/search`, { query: ['What?', 'Why?'], ...more });
    expectSchema('VectorStoreSearchResultsPage', body);
    return listAt(body, 'data').map((result) => at(result, 'filename'));
  };
  expect(await found({ max_num_results: 2 })).toEqual(['a.md', 'b.md']);
  expect(await found({ filters: { type: 'gte', key: 'number', value: 1 } })).toEqual(['b.md', 'c.md']);
  const both = [
    { type: 'eq', key: 'even', value: true },
    { type: 'in', key: 'number', value: [1, 2] },
  ];
  expect(await found({ filters: { type: 'and', filters: both } })).toEqual(['c.md']);
  expect(await found({ filters: { type: 'or', filters: both } })).toEqual(['a.md', 'b.md', 'c.md']);
  expect(await found({ ranking_options: { score_threshold: 0.9 } })).toEqual(['a.md']);
  const { body } = await simulator.get(`/vector_stores/${id}/files/${ids[0]}/content`);
  expectSchema('VectorStoreFileContentResponse', body);
  expect(at(body, 'data', 0, 'text')).toBe('The text of a.md.');
});

test('changes a store', async () => {
  const simulator = await startedSimulator();
  const { id } = await storeWith(simulator);
  const expires_after = { anchor: 'last_active_at', days: 7 };
  const { body } = await simulator.post(`/vector_stores/${id}`, { name: 'New', metadata: { a: 'b' }, expires_after });
  expectSchema('VectorStoreObject', body);
  expect(body).toMatchObject({ name: 'New', metadata: { a: 'b' }, expires_after });
  expectError(await simulator.post(`/vector_stores/${id}`, { file_ids: [] }), 400, { param: 'file_ids' });
});

const question = { model: 'gpt-4o', input: 'What does the handbook say?' };

test('reports a file search in events and cites it', async () => {
  const simulator = await startedSimulator();
  const { id, ids } = await storeWith(simulator, 'handbook.pdf', 'table.csv');
  await simulator.advance(60_000);
  const tools = [{ type: 'file_search', vector_store_ids: [id] }];
  const { text } = await simulator.post('/responses', { ...question, tools, stream: true });
  const events = eventsIn(text);
  for (const event of events) expectEventSchema(event);
  expect(orderOf(events).slice(2, 7)).toEqual([
    'response.output_item.added',
    'response.file_search_call.in_progress',
    'response.file_search_call.searching',
    'response.file_search_call.completed',
    'response.output_item.done',
  ]);
  const response = at(events.at(-1), 'response');
  expect(at(response, 'output', 0)).toMatchObject({ type: 'file_search_call', status: 'completed', results: null });
  const annotations = listAt(at(response, 'output', 1, 'content', 0), 'annotations');
  expect(annotations.map((annotation) => at(annotation, 'filename'))).toEqual(['handbook.pdf', 'handbook.pdf']);
  const citation = { type: 'file_citation', file_id: ids[0], filename: 'handbook.pdf' };
  expect(at(response, 'output', 1, 'content', 0, 'annotations', 0)).toMatchObject(citation);
  expect(events.find((event) => event.type === 'response.output_text.annotation.added')).toMatchObject({
    annotation: citation,
  });
});

test('shows its results if requested', async () => {
  const simulator = await startedSimulator();
  const { id } = await storeWith(simulator, 'handbook.pdf');
  await simulator.advance(60_000);
  const tools = [{ type: 'file_search', vector_store_ids: [id] }];
  const include = ['file_search_call.results'];
  const { body } = await simulator.post('/responses', { ...question, tools, include });
  expectSchema('Response', body);
  expect(at(body, 'output', 0, 'results', 0)).toMatchObject({ filename: 'handbook.pdf' });
});

test('does not find what is not indexed yet', async () => {
  const simulator = await startedSimulator();
  const { id } = await storeWith(simulator, 'handbook.pdf');
  const tools = [{ type: 'file_search', vector_store_ids: [id] }];
  const { body } = await simulator.post('/responses', { ...question, tools });
  expect(listAt(at(body, 'output', 1, 'content', 0), 'annotations')).toEqual([]);
});

test('rejects a search in a store that does not exist', async () => {
  const { post } = await startedSimulator();
  const tools = [{ type: 'file_search', vector_store_ids: ['vs_none'] }];
  expectError(await post('/responses', { ...question, tools }), 404, {
    message: 'Vector store with id [vs_none] not found.',
  });
});
