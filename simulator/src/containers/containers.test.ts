import { expect, test } from 'vitest';
import {
  at,
  eventsIn,
  expectError,
  expectEventSchema,
  expectSchema,
  listAt,
  startedSimulator,
  textAt,
} from '../testing.ts';

const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }];
const ask = { model: 'gpt-4o', tools, include: ['code_interpreter_call.outputs'] };
const asking = (content: string) => ({ ...ask, input: [{ role: 'user', content }] });

test('leaves files of code in its container, which the answer cites or shows', async () => {
  const { post, get } = await startedSimulator();
  const { body } = await post('/responses', asking('[[make plot.png inline.png output.png]]'));
  expectSchema('Response', body);
  const container = textAt(body, 'output', 0, 'container_id');
  const files = listAt((await get(`/containers/${container}/files?order=asc`)).body, 'data');
  expect(files.map((file) => at(file, 'path'))).toEqual(
    ['plot.png', 'inline.png', 'output.png'].map((name) => `/mnt/data/${name}`),
  );
  expect(listAt(body, 'output', 0, 'outputs').map((output) => at(output, 'url'))).toEqual([
    undefined,
    expect.stringMatching(/^data:image\/png;base64,iVBOR/),
    `https://provider.example/v1/containers/${container}/files/${at(files[2], 'id')}/content`,
  ]);
  const [cited] = listAt(body, 'output', 1, 'content', 0, 'annotations');
  const text = textAt(body, 'output', 1, 'content', 0, 'text');
  expect(cited).toMatchObject({ type: 'container_file_citation', filename: 'plot.png', file_id: at(files[0], 'id') });
  expect(text.slice(Number(at(cited, 'start_index')), Number(at(cited, 'end_index')))).toBe(
    '[plot.png](sandbox:/mnt/data/plot.png)',
  );
  const content = await get(`/containers/${container}/files/${at(files[0], 'id')}/content`);
  expect(content.text).toContain('PNG');
});

test('streams the same, as described', async () => {
  const { post } = await startedSimulator();
  const events = eventsIn((await post('/responses', { ...asking('[[make table.csv]]'), stream: true })).text);
  for (const event of events) expectEventSchema(event);
  expect(events.filter(({ type }) => type === 'response.output_text.annotation.added')).toHaveLength(1);
});

test('keeps a container for its key, until twenty minutes after its last use', async () => {
  const { post, get, advance } = await startedSimulator();
  const { body } = await post('/responses', asking('[[make table.csv]]'));
  const path = `/containers/${textAt(body, 'output', 0, 'container_id')}`;
  expect((await get(path)).status).toBe(200);
  expectError(await get(path, 'sk-somebody-else'), 404, { param: 'container_id' });
  await advance(21 * 60_000);
  expectError(await get(`${path}/files`), 404, { param: 'container_id' });
});
