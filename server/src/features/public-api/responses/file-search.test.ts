import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { asksOf, forgetAsks } from '#server/testing/chat';
import { withFault } from '#server/testing/faults';
import { filesIn, storesOf } from '#server/testing/knowledge';
import { conforming } from '#server/testing/openai-schema';
import { eventsIn, responsesPath as path } from '#server/testing/responses';
import { loseStore, personWithStore, untilStoreIsBack } from '#server/testing/vector-stores';

const model = 'gpt-4o';
const input = '[[bench 6]] What?';
const searching = (...vector_store_ids: string[]) => ({
  model,
  input,
  tools: [{ type: 'file_search' as const, vector_store_ids }],
  include: ['file_search_call.results' as const],
});

type Named = { file_id: string; filename: string };
type Item = { type: string; results?: Named[]; content?: { annotations: Named[] }[] };
const nameOf = ({ file_id, filename }: Named) => [file_id, filename];

/** Files that an output has found, and that it cites. */
const namesIn = (output: Item[]) => ({
  found: output.flatMap(({ results = [] }) => results.map(nameOf)),
  cited: output.flatMap(({ content = [] }) => content.flatMap(({ annotations }) => annotations.map(nameOf))),
});

describe.each(engines)('responses with file_search on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  test('reports a lost vector store, which is then made again', async () => {
    const { client, key, storeId, isDone } = await personWithStore(app, 'handbook.md');
    await loseStore(app, key);
    await expect(client.responses.create(searching(storeId))).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('being indexed again'),
    });
    await untilStoreIsBack(app, key, 1);
    await isDone();
    expect(await client.responses.create(searching(storeId))).toMatchObject({ status: 'completed' });
    // The provider's other stores are the client's concern.
    await expect(client.responses.create(searching(storeId, 'vs_theirs'))).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('vs_theirs'),
    });
  });

  /** The answer to a client, including what the client's types do not have. */
  async function answered(token: string, body: object) {
    const { status, text } = await callApi(app, token, path, { method: 'POST', body: { model, ...body } });
    expect(status, text).toBe(200);
    return text;
  }
  const outputOf = async (token: string, body: object): Promise<Item[]> =>
    conforming('Response', JSON.parse(await answered(token, body))).output;
  const keptOutput = async (token: string, id: string): Promise<Item[]> =>
    (await callApi(app, token, `${path}/${id}`)).body.output;
  /** The events, the names that they report one by one, and the final response. */
  async function streamed(token: string, body: object) {
    const events = eventsIn(await answered(token, { ...body, stream: true }));
    const of = (type: string) => events.filter((event) => event.type === type);
    const [last] = of('response.completed');
    return {
      events,
      annotations: of('response.output_text.annotation.added').map(({ annotation, annotation_index: index }) => ({
        annotation,
        index,
      })),
      parts: of('response.content_part.done').map(({ part }) => part),
      items: of('response.output_item.done').map(({ item }) => item),
      response: Object(last?.response),
    };
  }
  /** The provider's last request. */
  async function inputOf(ask: () => Promise<unknown>): Promise<string> {
    await forgetAsks(app);
    await ask();
    return JSON.stringify((await asksOf(app))[0]?.body.input);
  }
  const among = (names: string[], text: string) => names.filter((name) => text.includes(name));

  test('names files as Roster does: in events, complete, and when read again', async () => {
    const { client, key, token, files, storeId } = await personWithStore(app, 'handbook.md', 'rules.md');
    const [there] = await storesOf(app, key);
    const theirs = (await filesIn(app, key, there?.id ?? '')).map(({ id }) => id);
    const request = searching(storeId);
    const { events, annotations: streamedAnnotations, parts, items, response } = await streamed(token, request);
    const { found, cited } = namesIn(response.output);
    expect([...found].sort()).toEqual(files.map(({ id, filename }) => [id, filename]).sort());
    const [first, second] = found;
    expect(cited).toEqual([first, second, first]);
    expect(items).toEqual(response.output);
    expect(parts).toEqual(response.output[1].content);
    expect(streamedAnnotations).toEqual(
      response.output[1].content[0].annotations.map((annotation: Named, index: number) => ({ annotation, index })),
    );
    expect(among(theirs, JSON.stringify(events))).toEqual([]);
    expect(await keptOutput(token, response.id)).toEqual(response.output);

    const whole = await client.responses.create(request);
    expect(namesIn(await keptOutput(token, whole.id))).toEqual({ found, cited });
    expect(namesIn(await outputOf(token, request))).toEqual({ found, cited });
    // Clients from before Roster name the provider's store.
    expect(namesIn(await outputOf(token, searching(there?.id ?? '')))).toEqual({ found, cited });

    // The model reads them by the provider's names.
    const ours = files.map(({ id }) => id);
    const goingOn = () => outputOf(token, { input: 'And? [[bench 2]]', previous_response_id: whole.id });
    const saidAgain = [...whole.output, { role: 'user', content: 'And? [[bench 2]]' }];
    for (const ask of [goingOn, () => outputOf(token, { input: saidAgain, store: false })]) {
      const read = await inputOf(ask);
      expect([among(theirs, read), among(ours, read)]).toEqual([theirs, []]);
    }
    // Others neither learn of them nor can have them read.
    const { token: another } = await personWithStore(app, 'other.md');
    const read = await inputOf(() => outputOf(another, { input: saidAgain }));
    expect([among(theirs, read), among(ours, read)]).toEqual([[], []]);

    await client.files.delete(first?.[0] ?? '');
    expect(namesIn(await keptOutput(token, whole.id))).toEqual({ found: [second], cited: [second] });
    expect(among(theirs, await inputOf(goingOn))).toHaveLength(1);
  });

  test('leaves out a removed file while the provider still finds it', async () => {
    const { client, key, token, files, storeId } = await personWithStore(app, 'handbook.md', 'rules.md');
    const [taken] = namesIn(await outputOf(token, searching(storeId))).found;
    const left = files.flatMap(({ id, filename }) => (id === taken?.[0] ? [] : [[id, filename]]));
    await withFault(app, { fail: 'server_error' }, { method: 'DELETE', key }, async () => {
      await client.vectorStores.files.delete(taken?.[0] ?? '', { vector_store_id: storeId });
      const { annotations: streamedAnnotations, response } = await streamed(token, searching(storeId));
      expect(streamedAnnotations).toMatchObject([{ annotation: { file_id: left[0]?.[0] }, index: 0 }]);
      for (const output of [response.output, await outputOf(token, searching(storeId))])
        expect(namesIn(output)).toEqual({ found: left, cited: left });
    });
  });
});
