import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { messageOf, newThread, sendMessage, until } from '#server/testing/chat';
import { type DescribedService, startDescribedService } from '#server/testing/described-service';
import { lastOf, readEvents, textOf } from '#server/testing/events';
import { chooseAll } from '#server/testing/tool-servers';

const secret = 'planted-in-the-query-4321';

describe.each(engines)('an assistant with operations of a description, on %s', (engine) => {
  let app: TestApp;
  let service: DescribedService;
  beforeAll(async () => {
    [service, app] = await Promise.all([
      startDescribedService(),
      startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } }),
    ]);
  });
  afterAll(async () => {
    await app.stop();
    await service.close();
  });

  async function conversation(name: string, approval: string) {
    const person = await app.withKey(name);
    const { body: server } = await person.post('/api/tool-servers/openapi', {
      name: 'Notes',
      description: { type: 'pasted', text: JSON.stringify(service.description) },
      auth: { type: 'query', name: 'api_key', value: secret },
    });
    const assistantId = await createAssistant(person);
    expect((await chooseAll(person, assistantId, server.id, approval)).status).toBe(200);
    return { person, server, threadId: await newThread(person, { assistantId, title: 'Notes' }) };
  }

  test('calls one that only reads, and masks the secret that the service repeats', async () => {
    const { person, threadId } = await conversation('ada', 'never');
    const { run } = await sendMessage(person, threadId, '[[call Notes__listNotes]]');
    const events = await readEvents(app, person, run.id);
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'complete' });
    expect(service.seen.at(-1)?.url).toBe(`/v1/notes?limit=1&api_key=${secret}`);
    const answer = await messageOf(person, threadId, run.messageId);
    expect(answer.calls).toMatchObject([
      { server: 'Notes', title: 'List notes', state: 'done', output: expect.stringContaining('api_key=[secret]') },
    ]);
    expect(textOf(events)).toContain('HTTP 200');
    for (const text of [JSON.stringify(events), JSON.stringify(answer), ...app.logLines])
      expect(text).not.toContain(secret);
  });

  test('asks before it calls one that writes, and learns what the service refuses', async () => {
    const { person, threadId } = await conversation('bob', 'always');
    const before = service.seen.length;
    const answer = service.answer;
    service.answer = (_seen, response) =>
      response.writeHead(422, { 'content-type': 'application/problem+json' }).end('{"title":"No room"}');
    const { run } = await sendMessage(person, threadId, '[[call Notes__writeNote]] Buy milk');
    const waiting = await until('The question', async () => {
      const message = await messageOf(person, threadId, run.messageId);
      return message.state === 'waiting' ? message : undefined;
    });
    expect(service.seen).toHaveLength(before);
    const [call] = waiting.calls ?? [];
    expect((await person.post(`/api/runs/${run.id}/approvals/${call?.callId}`, { decision: 'approve' })).status).toBe(
      200,
    );
    await readEvents(app, person, run.id);
    expect(service.seen.slice(before)).toMatchObject([
      { method: 'POST', url: `/v1/notes?api_key=${secret}`, body: expect.stringContaining('"text":"Buy"') },
    ]);
    expect((await messageOf(person, threadId, run.messageId)).calls).toMatchObject([
      { state: 'failed', output: 'HTTP 422 application/problem+json\n\n{"title":"No room"}' },
    ]);
    service.answer = answer;
  });

  test('sends numbers in the digits that were approved', async () => {
    const { person, threadId } = await conversation('cleo', 'always');
    const before = service.seen.length;
    const { run } = await sendMessage(person, threadId, '[[call Notes__listNotes]] [[arguments digits]]');
    const waiting = await until('The question', async () => {
      const message = await messageOf(person, threadId, run.messageId);
      return message.state === 'waiting' ? message : undefined;
    });
    const [call] = waiting.calls ?? [];
    expect(call?.input).toContain('"limit":9007199254740993');
    await person.post(`/api/runs/${run.id}/approvals/${call?.callId}`, { decision: 'approve' });
    await readEvents(app, person, run.id);
    expect(service.seen.slice(before)).toMatchObject([{ url: expect.stringContaining('limit=9007199254740993&') }]);
  });
});
