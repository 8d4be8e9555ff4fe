import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { asksOf, benchText, forgetAsks } from '#server/testing/chat';
import { newConnection, newOffer, openConnections } from '#server/testing/connections';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import { conforming } from '#server/testing/openai-schema';
import { eventsIn, newClient, recorded, responsesPath } from '#server/testing/responses';
import { until } from '#server/testing/until';
import { responseRepository } from './repository.ts';

const first = 'gpt-4o';
const second = 'gpt-4o-mini';
const input = '[[bench 5]]';

describe.each(engines)('the fallback of a response in the background on %s', (engine) => {
  let app: TestApp;
  let count = 0;
  beforeAll(async () => {
    app = await startApp(engine, { env: openConnections });
    await app.as('admin');
  });
  afterAll(() => app.stop());

  /** A client of an assistant with a fallback. */
  async function assisted(more: Record<string, unknown> = {}) {
    await forgetAsks(app);
    const visitor = await app.withKey(`fallback${++count}`);
    const instructions = 'Answered by {{model}}.';
    await createAssistant(visitor, { model: first, fallbackModel: second, instructions, name: 'Careful', ...more });
    const own = await newClient(app, visitor, { rights: ['chat', 'assistants'] });
    const { client } = own;
    const request = { model: 'Careful@roster', input, background: true } as const;
    const ended = (name: string) =>
      until('The end of the response', async () => {
        const response = await client.responses.retrieve(name);
        return response.status === 'queued' || response.status === 'in_progress' ? undefined : response;
      });
    const rows = async () => (await recorded(app, own.id)).map(({ model, estimated }) => ({ model, estimated }));
    const models = async () => (await asksOf(app)).map(({ body }) => body.model);
    return { ...own, visitor, request, ended, rows, models };
  }

  test.each([
    ['is down', { fail: 'server_error' } as const],
    ['is over its limit', { fail: 'rate_limit' } as const],
    ['has no credit left', { fail: 'insufficient_quota' } as const],
    ['is gone', { fail: 'model_not_found' } as const],
    ['does not answer', { disconnect: true } as const],
    ['breaks off before its first word', { dropAfter: 0 } as const],
  ])('answers if the model %s, under the same id, and says so', async (_, fault) => {
    const { client, request, ended, rows, models } = await assisted();
    await withFault(app, fault, { model: first }, async () => {
      const started = await client.responses.create(request);
      expect(started).toMatchObject({ status: 'queued', model: first });
      const answer = conforming('Response', await ended(started.id));
      expect(answer).toMatchObject({ id: started.id, status: 'completed', output_text: benchText(5), error: null });
      expect(answer.model).toContain(second);
      expect(answer).toHaveProperty(
        'roster_note',
        expect.stringMatching(`^${first} could not answer, so the assistant’s fallback ${second} was asked\\. .+`),
      );
      expect((await client.responses.inputItems.list(started.id)).data).toHaveLength(1);
      const next = await client.responses.create({ model: second, input, previous_response_id: started.id });
      expect(next.output_text).toBe(benchText(5));
    });
    expect(await models()).toEqual([first, second, second]);
    expect((await asksOf(app))[1]?.body.instructions).toBe(`Answered by ${second}.`);
    expect((await rows()).filter(({ model }) => model === second)).toEqual([
      { model: second, estimated: 0 },
      { model: second, estimated: 0 },
    ]);
  });

  test('streams the fallback as one response', async () => {
    const { token, request, models } = await assisted();
    const stream = () => callApi(app, token, responsesPath, { method: 'POST', body: { ...request, stream: true } });
    await withFault(app, { fail: 'overloaded' }, { model: first }, async () => {
      const events = eventsIn((await stream()).text);
      expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1);
      const last = events.at(-1)?.response;
      expect(last).toMatchObject({ status: 'completed', roster_note: expect.stringContaining(second) });
    });
    expect(await models()).toEqual([first, second]);
  });

  test('keeps what the model has written before it broke off', async () => {
    const { client, request, ended, models } = await assisted();
    const { id } = await client.responses.create({ ...request, input: '[[bench 50]] [[drop after 10]]' });
    expect(await ended(id)).toMatchObject({ status: 'failed', model: expect.stringContaining(first) });
    expect(await models()).toEqual([first]);
  });

  test('is not asked if the request is wrong, or the model answers', async () => {
    const { client, request, ended, rows, models } = await assisted();
    const { id: refused } = await client.responses.create({ ...request, input: '[[context]]' });
    expect(await ended(refused)).toMatchObject({ status: 'failed' });
    const { id } = await client.responses.create(request);
    const answer = await ended(id);
    expect(answer).toMatchObject({ status: 'completed' });
    expect(answer).not.toHaveProperty('roster_note');
    expect(await models()).toEqual([first, first]);
    expect(await rows()).toEqual([{ model: first, estimated: 0 }]);
  });

  test('fails with its own error, and keeps the note', async () => {
    const { client, request, ended, rows, models } = await assisted();
    await withFault(app, { fail: 'overloaded' }, { model: first }, () =>
      withFault(app, { fail: 'rate_limit' }, { model: second }, async () => {
        const { id } = await client.responses.create(request);
        const answer = await ended(id);
        expect(answer).toMatchObject({ status: 'failed', error: { code: 'rate_limit_exceeded' } });
        expect(answer).toHaveProperty('roster_note', expect.stringContaining(second));
      }),
    );
    expect(await models()).toEqual([first, second]);
    expect(await rows()).toEqual([]);
  });

  test('asks nobody once the response was cancelled or deleted, or its token revoked', async () => {
    const { client, visitor, id: tokenId, request, rows, models } = await assisted();
    await withFault(app, { hang: true }, { model: first }, async () => {
      const cancelled = await client.responses.create(request);
      const deleted = await client.responses.create(request);
      const revoked = await client.responses.create(request);
      await until('The requests', async () => (await models()).length === 3);
      expect(await client.responses.cancel(cancelled.id)).toMatchObject({ status: 'cancelled', error: null });
      await client.responses.delete(deleted.id);
      await visitor.delete(`/api/access-tokens/${tokenId}`);
      expect(await rows()).toEqual([first, first, first].map((model) => ({ model, estimated: 1 })));
      const other = await newClient(app, visitor, { rights: ['chat'] });
      expect(await other.client.responses.retrieve(cancelled.id)).toMatchObject({ status: 'cancelled', output: [] });
      await expect(other.client.responses.retrieve(deleted.id)).rejects.toMatchObject({ status: 404 });
      expect(await other.client.responses.retrieve(revoked.id)).toMatchObject({ status: 'failed' });
    });
    expect(await models()).toEqual([first, first, first]);
  });

  test('asks nobody if the model fails after another process has cancelled the response', async () => {
    const { client, id: tokenId, request, ended, models } = await assisted();
    await withFault(app, { delayMs: 500, fail: 'overloaded' }, { model: first }, async () => {
      const { id: name } = await client.responses.create(request);
      await withDatabase(app, async (db) => {
        const mine = db.selectFrom('responses').select(['id', 'user_id']).where('access_token_id', '=', tokenId);
        const { id, user_id: userId } = await mine.executeTakeFirstOrThrow();
        expect(await responseRepository(db).requestCancel(userId, id)).toBe(true);
      });
      expect(await ended(name)).toMatchObject({ status: 'cancelled', output: [], error: null });
    });
    expect(await models()).toEqual([first]);
  });

  test('is cancelled while it answers', async () => {
    const { client, request, rows, models } = await assisted();
    await withFault(app, { fail: 'overloaded' }, { model: first }, () =>
      withFault(app, { hang: true }, { model: second }, async () => {
        const { id } = await client.responses.create(request);
        await until('The second request', async () => (await models()).length === 2);
        expect(await client.responses.retrieve(id)).toMatchObject({ status: 'in_progress', model: second });
        expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled', output: [], error: null });
      }),
    );
    expect(await models()).toEqual([first, second]);
    expect(await rows()).toEqual([{ model: second, estimated: 1 }]);
  });

  test('answers for a paused connection and a used-up budget, before anything was asked', async () => {
    const { visitor, client, request, ended, models } = await assisted();
    const home = await newConnection(app, visitor, 'Home');
    await createAssistant(visitor, { model: `@${home.id}/${first}`, fallbackModel: second, name: 'Paused' });
    await visitor.patch(`/api/connections/${home.id}`, { isPaused: true });
    const started = await client.responses.create({ ...request, model: 'Paused@roster' }).withResponse();
    expect(started.response.headers.get('x-roster-note')).toContain('is paused');
    expect(await ended(started.data.id)).toMatchObject({
      status: 'completed',
      output_text: benchText(5),
      roster_note: expect.stringContaining('is paused'),
    });
    const offer = await newOffer(app, { name: 'Spent', monthlyUsdPerPerson: 0.01 });
    await createAssistant(visitor, { model: `@${offer.id}/${first}`, fallbackModel: second, name: 'Spent' });
    const spend = { ...request, model: 'Spent@roster', input: '[[tokens 2000]]' };
    await ended((await client.responses.create(spend)).id);
    const { id } = await client.responses.create(spend);
    expect(await ended(id)).toMatchObject({ status: 'completed', roster_note: expect.stringContaining('Your budget') });
    expect(await models()).toEqual([second, first, second]);
  });

  test('uses only the fallback of one’s own assistant, with one’s own key', async () => {
    const ada = await assisted();
    const { key, visitor } = await app.someone();
    await createAssistant(visitor, { model: first, fallbackModel: first, name: 'Careful' });
    const grace = await newClient(app, visitor, { rights: ['chat', 'assistants'] });
    const [{ id: foreign } = { id: '' }] = (await ada.client.beta.assistants.list()).data;
    await withFault(app, { fail: 'overloaded' }, { model: first }, async () => {
      const hers = await grace.client.responses.create(ada.request);
      const own = await ada.client.responses.create(ada.request);
      await ada.ended(own.id);
      const failed = await until('The end', async () => {
        const response = await grace.client.responses.retrieve(hers.id);
        return response.status === 'failed' ? response : undefined;
      });
      expect(failed.error).toMatchObject({ code: 'server_error' });
      await expect(grace.client.responses.retrieve(own.id)).rejects.toMatchObject({ status: 404 });
      await expect(grace.client.responses.create({ ...ada.request, model: foreign })).rejects.toMatchObject({
        status: 404,
      });
    });
    const asks = await asksOf(app);
    const byKey = asks.map(({ body, authorization }) => [body.model, authorization?.endsWith(key.slice(-4))]);
    expect(byKey.filter(([model]) => model === second)).toHaveLength(1);
  });
});
