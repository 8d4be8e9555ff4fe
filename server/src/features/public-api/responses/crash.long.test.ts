import { describe, expect, test } from 'vitest';
import type { Engine } from '#server/db/connect';
import { engines } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { asksOf, benchText } from '#server/testing/chat';
import { killableInstallation, registered } from '#server/testing/crash';
import { withFault } from '#server/testing/faults';
import { conforming } from '#server/testing/openai-schema';
import { newClient, recorded } from '#server/testing/responses';
import { until } from '#server/testing/until';

const model = 'gpt-4o';
const slow = { model, input: '[[bench 40000]] [[delay 20]]' };

async function installation(engine: Engine) {
  const { app, server } = await killableInstallation(engine);
  await server.start();
  const visitor = await registered(server, 'ada');
  const own = await newClient(server, visitor, { rights: ['chat', 'assistants'] });
  return { app, server, visitor, ...own, rows: () => recorded(app, own.id) };
}

describe.each(engines)('active responses on %s', (engine) => {
  test('fails them after a crash, streamed or in the background, and counts what was sent', async () => {
    const { server, client, rows } = await installation(engine);
    const before = await client.responses.create({ model, input: 'Hello [[bench 3]]' });
    const { id: inBackground } = await client.responses.create({
      ...slow,
      background: true,
      previous_response_id: before.id,
    });
    let streamed = '';
    const stream = await client.responses.create({ ...slow, stream: true });
    const { promise: isWriting, resolve } = Promise.withResolvers<void>();
    const reading = (async () => {
      for await (const event of stream) {
        if (event.type === 'response.created') streamed = event.response.id;
        if (event.type === 'response.output_text.delta') resolve();
      }
    })().catch(() => undefined);
    await isWriting;
    const { id: another } = await client.responses.create({ ...slow, background: true });
    await server.kill();
    await reading;
    await server.start();
    for (const name of [inBackground, streamed, another]) {
      const failed = await until('The end of the response', async () => {
        const response = await client.responses.retrieve(name);
        return response.status === 'failed' ? response : undefined;
      });
      expect(conforming('Response', failed)).toMatchObject({ error: { code: 'server_error' }, output: [] });
    }
    expect((await rows()).map(({ estimated }) => estimated)).toEqual([0, 1, 1, 1]);
    const { data } = await client.responses.inputItems.list(inBackground);
    expect(data).toHaveLength(1);
    const after = await client.responses.create({ model, input: 'Go on [[bench 4]]', previous_response_id: before.id });
    expect(after.output_text).toBe(benchText(4));
  });

  test.each([
    ['before it is asked', '[[bench 5]]', { hang: true }, { hang: true }, ['gpt-4o']],
    ['while it answers', '[[bench 5]]', { fail: 'overloaded' }, { hang: true }, ['gpt-4o', 'gpt-4o-mini']],
  ] as const)(
    'fails a background response that crashes %s, and asks nobody again',
    async (_, input, one, two, expectedModels) => {
      const { app, server, client, rows, visitor } = await installation(engine);
      await createAssistant(visitor, { model: 'gpt-4o', fallbackModel: 'gpt-4o-mini', name: 'Careful' });
      await withFault(app, one, { model: 'gpt-4o' }, () =>
        withFault(app, two, { model: 'gpt-4o-mini' }, async () => {
          const { id } = await client.responses.create({ model: 'Careful@roster', input, background: true });
          const models = async () => (await asksOf(app)).map(({ body }) => body.model);
          await until('The requests', async () => (await models()).length === expectedModels.length);
          await server.kill();
          await server.start();
          const failed = await until('The end of the response', async () => {
            const response = await client.responses.retrieve(id);
            return response.status === 'failed' ? response : undefined;
          });
          expect(conforming('Response', failed)).toMatchObject({ error: { code: 'server_error' }, output: [] });
          expect((await client.responses.inputItems.list(id)).data).toHaveLength(1);
          expect(await rows()).toMatchObject([{ model: expectedModels.at(-1), estimated: 1 }]);
          expect(await models()).toEqual(expectedModels);
        }),
      );
    },
  );

  test('finishes background responses before a stop', async () => {
    const { server, client, rows } = await installation(engine);
    const { id } = await client.responses.create({ model, input: '[[bench 50]] [[delay 20]]', background: true });
    expect(await server.terminate()).toBe(0);
    await server.start();
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'completed', output_text: benchText(50) });
    expect(await rows()).toMatchObject([{ output_tokens: 50, estimated: 0 }]);
  });
});
