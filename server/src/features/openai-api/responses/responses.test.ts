import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { called } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { asksOf, benchText, forgetAsks } from '#server/testing/chat';
import { conforming } from '#server/testing/openai-schema';
import { eventsIn, orderOf, responsesPath as path, program, recorded } from '#server/testing/responses';

const kinds: [name: string, without: 'responses'[]][] = [
  ['Responses', []],
  ['Chat Completions alone', ['responses']],
];
const model = 'gpt-4o';

describe.each(engines)('responses of programs on %s', (engine) => {
  describe.each(kinds)('with a provider that serves %s', (_, without) => {
    const serves = without.length === 0;
    let app: TestApp;
    beforeAll(async () => {
      app = await startApp(engine, { simulator: { without } });
      await app.as('admin');
    });
    afterAll(() => app.stop());

    async function someone() {
      const { visitor } = await app.someone();
      return { visitor, ...(await program(app, visitor)) };
    }
    const posted = (token: string, body: unknown) => called(app, token, path, { method: 'POST', body });

    test('are answered at once, recorded with their price, and can be read again', async () => {
      const { id, client } = await someone();
      const response = await client.responses.create({ model, input: 'Hello [[bench 5]]', metadata: { a: 'b' } });
      conforming('Response', response);
      expect(response).toMatchObject({
        id: expect.stringMatching(/^resp_\w{24}$/),
        status: 'completed',
        output_text: benchText(5),
        store: true,
        metadata: { a: 'b' },
        previous_response_id: null,
        usage: { output_tokens: 5 },
      });
      expect(await recorded(app, id)).toMatchObject([
        { model, purpose: 'chat', output_tokens: 5, cost_usd: expect.any(Number), estimated: 0 },
      ]);
      const { _request_id: _, ...answered } = response;
      const { _request_id: __, ...again } = await client.responses.retrieve(response.id);
      expect(again).toEqual(answered);
      const items = await client.responses.inputItems.list(response.id);
      expect(items.data).toMatchObject([
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello [[bench 5]]' }] },
      ]);
      expect(await client.responses.delete(response.id)).toMatchObject({ id: response.id, deleted: true });
      await expect(client.responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 });
    });

    test('stream every event in its order, and are stored before the last one', async () => {
      const { id, token, client } = await someone();
      const { text } = await posted(token, { model, input: 'Hello [[bench 20]]', stream: true });
      const events = eventsIn(text);
      expect(orderOf(events)).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ]);
      expect(await recorded(app, id)).toMatchObject([{ output_tokens: 20, estimated: 0 }]);
      const stream = client.responses.stream({ model, input: 'Hello [[bench 20]]' });
      let read: unknown;
      stream.on('response.completed', ({ response }) => {
        read = client.responses.retrieve(response.id);
      });
      const final = await stream.finalResponse();
      expect(final.output_text).toBe(benchText(20));
      expect(await read).toMatchObject({ id: final.id, status: 'completed', output_text: benchText(20) });
    });

    test('go on from each other', async () => {
      const { client } = await someone();
      const first = await client.responses.create({
        model,
        input: 'My name is Alice. [[bench 4]]',
        instructions: 'Be kind.',
      });
      const second = await client.responses.create({
        model,
        previous_response_id: first.id,
        input: [{ role: 'user', content: [{ type: 'input_text', text: 'I live in Bern.' }] }],
      });
      await forgetAsks(app);
      const third = await client.responses.create({ model, previous_response_id: second.id, input: 'Who am I?' });
      expect(third.previous_response_id).toBe(second.id);
      const [asked] = await asksOf(app);
      const said = serves ? asked?.body.input : asked?.body.messages;
      expect(said.map(({ role }: { role: string }) => role)).toEqual([
        'user',
        'assistant',
        'user',
        'assistant',
        'user',
      ]);
      const words = JSON.stringify(said);
      for (const word of ['My name is Alice.', benchText(4), 'I live in Bern.', 'Who am I?'])
        expect(words).toContain(word);
      expect(JSON.stringify(asked?.body)).not.toContain('Be kind.');
      expect(asked?.body).not.toHaveProperty('previous_response_id');
      if (serves) expect(asked?.body.store).toBe(false);
    });
  });
});
