import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { asksOf, benchText, forgetAsks } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { uploaded } from '#server/testing/files';
import { untilIndexed } from '#server/testing/knowledge';
import { conforming } from '#server/testing/openai-schema';
import { eventsIn, newClient, orderOf, responsesPath as path, recorded } from '#server/testing/responses';
import { until } from '#server/testing/until';
import { responseRepository } from './repository.ts';

const kinds: [name: string, without: 'responses'[]][] = [
  ['Responses', []],
  ['Chat Completions alone', ['responses']],
];
const model = 'gpt-4o';
const heart =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const weather = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'Get the current weather for a location',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
  strict: null,
};
/** Fields that Open Responses requires. */
const requiredByOpenResponses = [
  ...['id', 'object', 'created_at', 'completed_at', 'status', 'incomplete_details', 'model', 'previous_response_id'],
  ...['instructions', 'output', 'error', 'tools', 'tool_choice', 'truncation', 'parallel_tool_calls', 'text', 'top_p'],
  ...[
    'presence_penalty',
    'frequency_penalty',
    'top_logprobs',
    'temperature',
    'reasoning',
    'usage',
    'max_output_tokens',
  ],
  ...['max_tool_calls', 'store', 'background', 'service_tier', 'metadata', 'safety_identifier', 'prompt_cache_key'],
];
const calls = (name: string) =>
  [
    ['GET', `${path}/${name}`],
    ['DELETE', `${path}/${name}`],
    ['POST', `${path}/${name}/cancel`],
    ['GET', `${path}/${name}/input_items`],
  ] as const;

describe.each(engines)('API responses on %s', (engine) => {
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
      return { visitor, ...(await newClient(app, visitor)) };
    }
    const kept = (tokenId: number) =>
      withDatabase(app, (db) =>
        db.selectFrom('responses').selectAll().where('access_token_id', '=', tokenId).orderBy('id').execute(),
      );
    const posted = (token: string, body: unknown) => callApi(app, token, path, { method: 'POST', body });

    test('answers at once, records it with its price, and can be read again', async () => {
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

    test('streams every event in order, and is stored before the last one', async () => {
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

    test('continues from other responses', async () => {
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
      const [request] = await asksOf(app);
      const input = serves ? request?.body.input : request?.body.messages;
      expect(input.map(({ role }: { role: string }) => role)).toEqual([
        'user',
        'assistant',
        'user',
        'assistant',
        'user',
      ]);
      const words = JSON.stringify(input);
      for (const word of ['My name is Alice.', benchText(4), 'I live in Bern.', 'Who am I?'])
        expect(words).toContain(word);
      expect(JSON.stringify(request?.body)).not.toContain('Be kind.');
      expect(request?.body).not.toHaveProperty('previous_response_id');
      if (serves) expect(request?.body.store).toBe(false);
    });

    test('passes each compliance test of Open Responses', async () => {
      const { token } = await someone();
      const text = (role: string, content: unknown) => ({ type: 'message', role, content });
      const cases = [
        [text('user', 'Say hello in exactly 3 words.')],
        [text('system', 'You are a pirate. Always respond in pirate speak.'), text('user', 'Say hello.')],
        [
          text('user', [
            { type: 'input_text', text: 'What do you see?' },
            { type: 'input_image', image_url: heart },
          ]),
        ],
        [text('user', 'My name is Alice.'), text('assistant', 'Hello Alice!'), text('user', 'What is my name?')],
      ];
      for (const input of cases)
        for (const stream of [false, true]) {
          const { status, body, text: whole } = await posted(token, { model, input, stream });
          const response = stream ? eventsIn(whole).at(-1)?.response : body;
          expect([status, conforming('Response', response)], JSON.stringify(body)).toMatchObject([
            200,
            { status: 'completed', error: null, output: [{ type: 'message', status: 'completed' }] },
          ]);
          for (const field of requiredByOpenResponses) expect(response).toHaveProperty(field);
        }
      const image = await posted(token, { model, input: cases[2] });
      expect(image.body.output[0].content[0].text).toContain('an image');
      const pirate = await posted(token, { model, input: cases[1] });
      expect(pirate.body.output[0].content[0].text).toContain('You are a pirate.');
    });

    test('calls functions, and continues with their results', async () => {
      const { token, client } = await someone();
      const tools = [weather];
      const input = 'What is the weather in Bern? [[call]]';
      const { text } = await posted(token, { model, input, tools, stream: true });
      expect(orderOf(eventsIn(text))).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.function_call_arguments.delta',
        'response.function_call_arguments.done',
        'response.output_item.done',
        'response.completed',
      ]);
      const first = await client.responses.create({ model, input, tools });
      conforming('Response', first);
      const [called] = first.output;
      expect(called).toMatchObject({ type: 'function_call', name: 'get_weather', status: 'completed' });
      if (called?.type !== 'function_call') throw new Error('no call');
      expect(Object.keys(JSON.parse(called.arguments))).toEqual(['location']);
      const output = { type: 'function_call_output' as const, call_id: called.call_id, output: 'Rain, 12 degrees' };
      const answer = await client.responses.create({ model, tools, previous_response_id: first.id, input: [output] });
      expect(answer.output_text).toContain('Rain, 12 degrees');
      // The same with items sent along instead of referenced.
      const again = await client.responses.create({
        model,
        tools,
        input: [{ role: 'user', content: input }, called, output],
      });
      expect(again.output_text).toContain('Rain, 12 degrees');
      const named = await client.responses.create({
        model,
        tools,
        input: [{ role: 'user', content: input }, { type: 'item_reference', id: called.id ?? '' }, output],
      });
      expect(named.output_text).toContain('Rain, 12 degrees');
      const { data } = await client.responses.inputItems.list(named.id, { order: 'asc' });
      conforming('ResponseItemList', { object: 'list', data, first_id: '', last_id: '', has_more: false });
      expect(data.map(({ type }) => type)).toEqual(['message', 'function_call', 'function_call_output']);
      const page = await client.responses.inputItems.list(named.id, {
        limit: 1,
        after: data[0]?.id ?? '',
        order: 'asc',
      });
      expect([page.data.map(({ id }) => id), page.has_more]).toEqual([[data[1]?.id], true]);
    });

    test('uses an assistant’s instructions, settings and files', async () => {
      const { visitor, id, client } = await someone();
      const assistantId = await createAssistant(visitor, {
        name: 'Reader',
        model,
        instructions: 'Speak like a lawyer.',
        temperature: 0.3,
      });
      if (serves) {
        const { id: fileId } = await uploaded(app, visitor, { filename: 'terms.txt', content: 'Thirty days.' });
        await visitor.post(`/api/assistants/${assistantId}/files`, { fileIds: [fileId] });
        await untilIndexed(app, visitor, assistantId, ['ready']);
      }
      await forgetAsks(app);
      const response = await client.responses.create({
        model: 'Reader@roster',
        instructions: 'Be short.',
        input: 'How long? [[bench 2]]',
      });
      expect(response).toMatchObject({ output_text: benchText(2), instructions: 'Be short.' });
      // A provider without Responses was asked for them first.
      const request = (await asksOf(app)).at(-1);
      expect(request?.body).toMatchObject({ model, temperature: 0.3 });
      const instructions = serves ? request?.body.instructions : request?.body.messages[0].content;
      expect(instructions).toMatch(/^Speak like a lawyer\..*Be short\.$/s);
      if (serves) expect(instructions).toContain('[terms.txt]\nA passage of terms.txt.');
      expect(await recorded(app, id)).toMatchObject([{ assistant_id: assistantId }]);
    });

    test('reads Roster’s files by their ids, and reports one deleted since', async () => {
      const { visitor, client } = await someone();
      const { id: fileId } = await uploaded(app, visitor, { filename: 'terms.txt', content: 'Thirty days.' });
      const { data } = await client.files.list();
      const part = { type: 'input_file' as const, file_id: data[0]?.id ?? '' };
      await forgetAsks(app);
      const first = await client.responses.create({ model, input: [{ role: 'user', content: [part] }] });
      expect(JSON.stringify((await asksOf(app)).at(-1)?.body)).toContain(
        'Attached file “terms.txt”:\\n\\nThirty days.',
      );
      expect((await client.responses.inputItems.list(first.id)).data).toMatchObject([{ content: [part] }]);
      await visitor.delete(`/api/files/${fileId}`);
      await forgetAsks(app);
      await client.responses.create({ model, input: 'And now?', previous_response_id: first.id });
      expect(JSON.stringify((await asksOf(app)).at(-1)?.body)).toContain('is not included.');
      await expect(
        client.responses.create({ model, input: [{ role: 'user', content: [part] }] }),
      ).rejects.toMatchObject({ status: 400, code: 'file_not_found' });
    });

    test('belongs to one user', async () => {
      const [one, other] = [await someone(), await someone()];
      const { id } = await one.client.responses.create({ model, input: 'Mine [[bench 2]]' });
      const [item] = (await one.client.responses.inputItems.list(id)).data;
      for (const name of [id, `resp_${'A'.repeat(24)}`, 'resp_x']) {
        for (const [method, at] of calls(name)) {
          const { status, body } = await callApi(app, other.token, at, { method });
          expect([status, body.error.message], at).toEqual([404, `Response with id '${name}' not found.`]);
        }
        const { status, body } = await posted(other.token, { model, input: 'Hi', previous_response_id: name });
        expect([status, body.error.code]).toEqual([400, 'previous_response_not_found']);
      }
      const stolen = [{ type: 'item_reference', id: item?.id }];
      expect((await posted(other.token, { model, input: stolen })).status).toBe(400);
      expect(await recorded(app, other.id)).toEqual([]);
      expect((await one.client.responses.retrieve(id)).output_text).toBe(benchText(2));
    });

    test.each([
      ['no model', { input: 'Hi' }, 'model'],
      ['no input', { model }, 'input'],
      ['input that is a number', { model, input: 5 }, 'input'],
      [
        'too many items',
        { model, input: Array.from({ length: 2_001 }, () => ({ role: 'user', content: '' })) },
        'input',
      ],
      ['a conversation', { model, input: 'Hi', conversation: 'conv_1' }, 'conversation'],
      ['too much metadata', { model, input: 'Hi', metadata: { a: 'x'.repeat(513) } }, 'metadata.a'],
      ['a background that is not stored', { model, input: 'Hi', background: true, store: false }, 'background'],
    ])('refuses a request with %s, and stores nothing', async (_what, body, param) => {
      const { id, token } = await someone();
      const refused = await posted(token, body);
      expect([refused.status, refused.body.error.param], JSON.stringify(refused.body)).toEqual([400, param]);
      expect(await kept(id)).toEqual([]);
    });

    test('stores nothing with store: false, or after a refusal', async () => {
      const { id, token, client } = await someone();
      const passing = await client.responses.create({ model, input: 'Hi [[bench 2]]', store: false });
      expect(passing).toMatchObject({ store: false, output_text: benchText(2) });
      await expect(client.responses.retrieve(passing.id)).rejects.toMatchObject({ status: 404 });
      for (const stream of [false, true])
        for (const [word, status] of [
          ['[[500]]', 502],
          ['[[429]]', 429],
          ['[[404]]', 404],
        ] as const)
          expect([word, (await posted(token, { model, input: word, stream })).status]).toEqual([word, status]);
      expect(await kept(id)).toEqual([]);
      expect(await recorded(app, id)).toHaveLength(1);
    });

    test.each([
      ['breaks off', '[[bench 20]] [[drop after 5]]', 'provider_broke_off'],
      ['fails in the middle', '[[bench 20]] [[error 5]]', 'provider_unavailable'],
      ['sends what cannot be read', '[[bench 20]] [[malformed 3]]', 'provider_broke_off'],
    ])('reports in the stream when the provider %s', async (_what, input, code) => {
      const { id, token, client } = await someone();
      const { text } = await posted(token, { model, input, stream: true });
      const events = eventsIn(text);
      expect(events.slice(-2)).toMatchObject([
        { type: 'error', code },
        { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error' } } },
      ]);
      const [{ id: name } = { id: '' }] = events.flatMap(({ response }) => (response ? [Object(response)] : []));
      expect(await client.responses.retrieve(name)).toMatchObject({
        status: 'failed',
        error: { code: 'server_error' },
      });
      await expect(
        client.responses.create({ model, input: 'Go on', previous_response_id: name }),
      ).rejects.toMatchObject({
        status: 400,
      });
      expect(await recorded(app, id)).toMatchObject([{ estimated: 1 }]);
    });

    test('reports an answer that the model truncated as incomplete', async () => {
      const { client } = await someone();
      const response = await client.responses.create({ model, input: '[[tokens 200]]', max_output_tokens: 20 });
      conforming('Response', response);
      expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
      expect(response.output.at(-1)).toMatchObject({ status: 'incomplete' });
    });

    test('ends when its client leaves, and is stored as cancelled', async () => {
      const { id, client } = await someone();
      const left = new AbortController();
      const stream = await client.responses.create(
        { model, input: '[[bench 40000]] [[delay 20]]', stream: true },
        { signal: left.signal },
      );
      for await (const event of stream) if (event.type === 'response.output_text.delta') break;
      left.abort();
      expect(await recorded(app, id)).toMatchObject([{ estimated: 1 }]);
      expect(await kept(id)).toMatchObject([{ state: 'cancelled' }]);
    });

    test('is written in the background even if nobody reads its events', async () => {
      const { id, client } = await someone();
      const queued = await client.responses.create({ model, input: '[[bench 30]] [[delay 5]]', background: true });
      conforming('Response', queued);
      expect(queued).toMatchObject({ status: 'queued', background: true, output: [] });
      await expect(
        client.responses.create({ model, input: 'Hi', previous_response_id: queued.id }),
      ).rejects.toMatchObject({
        status: 400,
      });
      const stream = await client.responses.create({
        model,
        input: '[[bench 30]] [[delay 5]]',
        background: true,
        stream: true,
      });
      let second = '';
      for await (const event of stream)
        if (event.type === 'response.created') second = event.response.id;
        else if (event.type === 'response.output_text.delta') break;
      for (const name of [queued.id, second]) {
        const ended = await until('The end of the response', async () => {
          const response = await client.responses.retrieve(name);
          return response.status === 'completed' ? response : undefined;
        });
        expect(conforming('Response', ended)).toMatchObject({ output_text: benchText(30), background: true });
      }
      expect(await recorded(app, id)).toMatchObject([{ output_tokens: 30 }, { output_tokens: 30 }]);
    });

    test('is cancelled and deleted while it is written in the background', async () => {
      const { id, token, client } = await someone();
      const slow = { model, input: '[[bench 20000]] [[delay 50]]', background: true };
      const first = await client.responses.create(slow);
      expect(await client.responses.cancel(first.id)).toMatchObject({ id: first.id, status: 'cancelled', error: null });
      expect(await client.responses.cancel(first.id)).toMatchObject({ status: 'cancelled' });
      const hanging = await client.responses.create({ model, input: '[[hang]]', background: true });
      expect(await client.responses.cancel(hanging.id)).toMatchObject({ status: 'cancelled', output: [] });
      const second = await client.responses.create(slow);
      await client.responses.delete(second.id);
      const types: string[] = [];
      for await (const event of await client.responses.create({ ...slow, stream: true })) {
        types.push(event.type);
        if (event.type === 'response.created') await client.responses.cancel(event.response.id);
        if ('response' in event) expect(event.response.error).toBeNull();
      }
      expect([types.at(-1), types.includes('error')]).toEqual(['response.failed', false]);
      expect(await recorded(app, id)).toHaveLength(4);
      expect(await kept(id)).toMatchObject([{ state: 'cancelled' }, { state: 'cancelled' }, { state: 'cancelled' }]);
      const answered = await client.responses.create({ model, input: 'Hi [[bench 2]]' });
      const { status, body } = await callApi(app, token, `${path}/${answered.id}/cancel`, { method: 'POST' });
      expect([status, body.error.message]).toEqual([400, expect.stringContaining('background=true')]);
      expect((await callApi(app, token, `${path}/${answered.id}?stream=true`)).status).toBe(400);
    });

    test('reports why the provider has refused in the background too', async () => {
      const { id, client } = await someone();
      const { id: name } = await client.responses.create({ model, input: '[[500]]', background: true });
      const failed = await until('The end', async () => {
        const response = await client.responses.retrieve(name);
        return response.status === 'failed' ? response : undefined;
      });
      expect(conforming('Response', failed).error).toMatchObject({ code: 'server_error' });
      expect(await recorded(app, id)).toEqual([]);
    });

    test('is deleted after 30 days, but not if others continue it', async () => {
      const { id, client } = await someone();
      const ask = (previous_response_id?: string) =>
        client.responses.create({
          model,
          input: 'Hi [[bench 2]]',
          ...(previous_response_id && { previous_response_id }),
        });
      const [first, alone] = [await ask(), await ask()];
      const second = await ask(first.id);
      const expire = (names: string[]) =>
        withDatabase(app, async (db) => {
          const rows = await db
            .selectFrom('responses')
            .select('id')
            .where('access_token_id', '=', id)
            .orderBy('id')
            .execute();
          const old = rows.filter((_, index) => names.includes(['first', 'alone', 'second'][index] ?? ''));
          await db
            .updateTable('responses')
            .set({ expires_at: '2020-01-01T00:00:00.000Z' })
            .where(
              'id',
              'in',
              old.map((row) => row.id),
            )
            .execute();
        });
      await expire(['first', 'alone']);
      for (const { id: name } of [first, alone])
        await expect(client.responses.retrieve(name)).rejects.toMatchObject({ status: 404 });
      await withDatabase(app, (db) => responseRepository(db).forgetExpired());
      expect(await kept(id)).toHaveLength(2);
      const third = await ask(second.id);
      expect(third.status).toBe('completed');
      await client.responses.delete(second.id);
      await expect(ask(third.id)).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
      await withDatabase(app, (db) => responseRepository(db).forgetExpired());
      expect(await kept(id)).toHaveLength(1);
    });

    test('is refused before anything is asked if a budget or the storage is used up', async () => {
      const { visitor } = await app.someone();
      const { id, token } = await newClient(app, visitor, { monthlyBudgetUsd: 0.01 });
      await posted(token, { model, input: '[[bench 400]]' });
      await recorded(app, id);
      await withDatabase(app, (db) =>
        db
          .updateTable('responses')
          .set({ bytes: 512 * 1024 * 1024 })
          .where('access_token_id', '=', id)
          .execute(),
      );
      await forgetAsks(app);
      const full = await posted(token, { model, input: 'Hi' });
      expect([full.status, full.body.error.code, full.body.error.param]).toEqual([
        400,
        'response_storage_full',
        'store',
      ]);
      expect(await asksOf(app)).toEqual([]);
      expect((await posted(token, { model, input: 'Hi', store: false })).status).toBe(200);
      await recorded(app, id);
      await withDatabase(app, (db) =>
        db.updateTable('access_tokens').set({ spent_usd: 1 }).where('id', '=', id).execute(),
      );
      await forgetAsks(app);
      for (const more of [{}, { stream: true }, { background: true }]) {
        const { status, body } = await posted(token, { model, input: 'Hi', ...more });
        expect([status, body.error.code]).toEqual([429, 'insufficient_quota']);
      }
      expect(await asksOf(app)).toEqual([]);
    });
  });
});
