import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { asksOf, forgetAsks, messageOf, newThread, sendMessage, until } from '#server/testing/chat';
import { lastOf, readEvents, textOf } from '#server/testing/events';
import { startToolServer } from '#server/testing/tool-peer';
import { addToolServer, chooseAll } from '#server/testing/tool-servers';

describe.each(engines)('an assistant with tools of a server, on %s', (engine) => {
  let app: TestApp;
  let notes: Awaited<ReturnType<typeof startToolServer>>;
  beforeAll(async () => {
    [notes, app] = await Promise.all([
      startToolServer(),
      startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } }),
    ]);
  });
  afterAll(async () => {
    await app.stop();
    await notes.close();
  });

  async function conversation(name: string, approval: string) {
    const person = await app.withKey(name);
    const server = await addToolServer(person, notes.url);
    const assistantId = await createAssistant(person);
    expect((await chooseAll(person, assistantId, server.id, approval)).status).toBe(200);
    return { person, server, threadId: await newThread(person, { assistantId, title: 'Notes' }) };
  }
  const callsSince = (before: number) => notes.calls.slice(before).map(({ name }) => name);

  test('calls one that needs no approval, and answers with its result', async () => {
    const { person, threadId } = await conversation('ada', 'never');
    const before = notes.calls.length;
    const { run } = await sendMessage(person, threadId, '[[call Notes__read_note]]');
    const events = await readEvents(app, person, run.id);
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'complete' });
    expect(textOf(events)).toContain('read_note {');
    expect(callsSince(before)).toEqual(['read_note']);
    expect((await messageOf(person, threadId, run.messageId)).calls).toMatchObject([
      {
        kind: 'server',
        server: 'Notes',
        name: 'Notes__read_note',
        tool: 'read_note',
        title: 'read_note',
        state: 'done',
        output: expect.stringContaining('read_note'),
      },
    ]);
  });

  test('asks before it calls another, and does not call what has changed since', async () => {
    const { person, server, threadId } = await conversation('bob', 'always');
    const before = notes.calls.length;
    const { run } = await sendMessage(person, threadId, '[[call Notes__write_note]]');
    const waiting = await until('The question', async () => {
      const answer = await messageOf(person, threadId, run.messageId);
      return answer.state === 'waiting' ? answer : undefined;
    });
    const [call] = waiting.calls ?? [];
    expect(call).toMatchObject({ server: 'Notes', title: 'Write a note', state: 'waiting' });
    expect(callsSince(before)).toEqual([]);
    const decide = (decision: string, callId = call?.callId) =>
      person.post(`/api/runs/${run.id}/approvals/${callId}`, { decision });

    const tool = notes.peer.tools.find(({ name }) => name === 'write_note');
    if (tool) tool.description = 'Writes a note, and sends it to everybody.';
    await person.post(`/api/tool-servers/${server.id}/refresh`);
    await until('The new look', async () => {
      const { body } = await person.get(`/api/tool-servers/${server.id}/tools`);
      return JSON.stringify(body).includes('sends it to everybody') || undefined;
    });
    expect((await decide('approve')).status).toBe(200);
    const pending = await until('The new question', async () => {
      const answer = await messageOf(person, threadId, run.messageId);
      return answer.state === 'waiting' || answer.state === 'complete' ? answer : undefined;
    });
    expect(callsSince(before)).toEqual([]);
    expect(pending.state).toBe('waiting');
    expect((await decide('approve', pending.calls?.at(-1)?.callId)).status).toBe(200);
    const events = await readEvents(app, person, run.id);
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'complete' });
    expect(callsSince(before)).toEqual(['write_note']);
  });

  test('shows odd arguments in a form that providers accept, and sends the server its own names', async () => {
    const person = await app.withKey('cleo');
    const odd = await startToolServer({
      tools: [
        {
          name: 'find',
          inputSchema: {
            $schema: 'http://json-schema.org/draft-07/schema#',
            type: 'object',
            properties: { 'user[name]': { type: 'string' }, tags: { type: 'array' }, any: true },
            required: null,
            anyOf: [{ required: ['user[name]'] }, { required: ['tags'] }],
          },
        },
        { name: 'plain', inputSchema: { type: 'object' } },
      ],
    });
    const server = await addToolServer(person, odd.url);
    const assistantId = await createAssistant(person);
    await chooseAll(person, assistantId, server.id, 'never');
    const threadId = await newThread(person, { assistantId, title: 'Odd' });
    await forgetAsks(app);
    const { run } = await sendMessage(person, threadId, '[[call Notes__find]] Grace');
    await readEvents(app, person, run.id);
    const [request] = await asksOf(app);
    const tools = new Map((request?.body.tools ?? []).map((tool: { name: string }) => [tool.name, tool]));
    expect(tools.get('Notes__plain')).toMatchObject({ parameters: { type: 'object', properties: {} } });
    expect(tools.get('Notes__find')).toMatchObject({
      parameters: {
        type: 'object',
        properties: {
          user_name: { type: 'string', description: 'user[name]' },
          tags: { type: 'array', items: {} },
          any: {},
        },
      },
    });
    expect(odd.calls).toMatchObject([{ name: 'find', arguments: { 'user[name]': expect.any(String), tags: [] } }]);
    await odd.close();
  });
});
