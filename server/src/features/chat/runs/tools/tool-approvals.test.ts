import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import {
  ask,
  asksOf,
  forgetAsks,
  messageOf,
  messagesOf,
  newThread,
  post,
  sendMessage,
  until,
} from '#server/testing/chat';
import { setUser, withDatabase } from '#server/testing/database';
import { lastOf, notesOf, openEvents, readEvents, textOf, upTo } from '#server/testing/events';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { advanceClock, makeDue } from '#server/testing/knowledge';
import {
  callIdsIn,
  callsIn,
  type FakeToolRegistry,
  fakeToolRegistry,
  lastOutputs,
  statesOf,
} from '#server/testing/tool-box';

describe.each(engines)('calls that wait for approval, on %s', (engine) => {
  let app: TestApp;
  let tools: FakeToolRegistry;
  let ada: HttpClient;
  let assistantId: number;
  beforeAll(async () => {
    tools = fakeToolRegistry();
    app = await startApp(engine, { tools: { box: tools.box } });
    ada = await app.withKey('ada');
    assistantId = await createAssistant(ada);
    tools.offer('pay', { approval: 'always' }, ({ input }) => tools.said(`Paid ${input.city}.`));
    tools.offer('mail', { approval: 'once' });
    tools.offer('clock', { mayRepeat: true }, () => tools.said('Noon.'));
  });
  afterAll(() => app.stop());

  const thread = () => newThread(ada, { assistantId, title: 'With tools' });

  /** Sends a message and waits until its run waits for approval. */
  async function waiting(threadId: number, text: string, visitor = ada) {
    const { run } = await sendMessage(visitor, threadId, text);
    const reader = await openEvents(app, visitor, run.id);
    await until('The question', async () => (await stateOf(run.id)) === 'waiting');
    await until('The event', async () => statesOf(reader.events).includes('waiting'));
    const callIds = [...new Set(callIdsIn(reader.events))];
    return { run, reader, callIds, callId: callIds[0] ?? '' };
  }
  const stateOf = (runId: number) =>
    withDatabase(app, async (db) => {
      const row = await db.selectFrom('runs').select('state').where('id', '=', runId).executeTakeFirst();
      return row?.state;
    });
  const decide = (runId: number, callId: string, decision: string, reason?: string, visitor = ada) =>
    visitor.post(`/api/runs/${runId}/approvals/${callId}`, { decision, ...(reason !== undefined && { reason }) });

  test('pauses the answer, reports that everywhere, and resumes on approval', async () => {
    await forgetAsks(app);
    const threadId = await thread();
    const made = tools.callsOf('pay').length;
    const { run, reader, callId } = await waiting(threadId, '[[saying]] [[call demo_pay]] Utrecht');
    const answer = await messageOf(ada, threadId, run.messageId);
    expect(answer).toMatchObject({
      state: 'waiting',
      run: { id: run.id, state: 'waiting' },
      text: 'Let me look that up.',
    });
    expect(answer.calls).toMatchObject([{ callId, state: 'waiting', input: '{"city":"Utrecht"}', output: null }]);
    const { body: list } = await ada.get('/api/threads');
    expect(list.items[0]).toMatchObject({ id: threadId, runId: run.id, waitsForApproval: true });
    expect(await post(ada, threadId, 'Meanwhile')).toMatchObject({
      status: 409,
      body: { code: 'run_in_progress', message: expect.stringContaining('is waiting for your approval') },
    });
    expect(tools.callsOf('pay')).toHaveLength(made);
    // A reader that reconnects while it waits.
    const later = await openEvents(app, ada, run.id, { after: 1 });

    const approved = await decide(run.id, callId, 'approve');
    expect(approved).toMatchObject({ status: 200, body: { id: run.id, state: 'running' } });
    const events = await reader.all();
    expect(events.map(({ number }) => number)).toEqual(upTo(events.length));
    expect(statesOf(events)).toEqual(['running', 'waiting', 'running', 'done']);
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'complete' });
    expect(await later.all()).toEqual(events.slice(1));
    expect(textOf(events)).toContain('The functions said: Paid Utrecht..');
    expect(tools.callsOf('pay')).toHaveLength(made + 1);
    expect((await messageOf(ada, threadId, run.messageId)).state).toBe('complete');
    expect((await ada.get(`/api/threads/${threadId}`)).body.waitsForApproval).toBeUndefined();
    expect(await decide(run.id, callId, 'approve')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const replayed = await readEvents(app, ada, run.id);
    expect(textOf(replayed)).toBe(textOf(events));
    expect(lastOf(replayed)).toEqual(lastOf(events));
    // Only this call was approved.
    const again = await waiting(threadId, '[[call demo_pay]]');
    await ada.post(`/api/runs/${again.run.id}/stop`);
  });

  test('searches the files of the project also after the pause', async () => {
    const projectId = (await ada.post('/api/projects', { name: 'Garden' })).body.id;
    const { id: fileId } = await uploaded(app, ada, { filename: 'beds.pdf', content: 'Beds' });
    await ada.post(`/api/projects/${projectId}/files`, { fileIds: [fileId] });
    await until('An indexed file', async () => {
      await advanceClock(app, 10_000);
      await makeDue(app);
      return (await ada.get(`/api/projects/${projectId}/files`)).body[0].state === 'ready';
    });
    const { run, reader, callIds } = await waiting(
      await newThread(ada, { assistantId, projectId }),
      '[[call demo_pay]]',
    );
    // The first call is the search.
    await decide(run.id, callIds.at(-1) ?? '', 'approve');
    await reader.all();
    const searched = { type: 'file_search', vector_store_ids: [expect.any(String)] };
    expect((await asksOf(app)).slice(-2).map(({ body }) => body.tools)).toEqual([
      expect.arrayContaining([searched]),
      expect.arrayContaining([searched]),
    ]);
  });

  test('tells the model why a call was denied', async () => {
    const threadId = await thread();
    const { run, reader, callId } = await waiting(threadId, '[[call demo_pay]]');
    const made = tools.calls.length;
    expect((await decide(run.id, callId, 'deny', ' Too dear ')).status).toBe(200);
    expect(statesOf(await reader.all())).toEqual(['running', 'waiting', 'denied']);
    expect(await lastOutputs(app)).toEqual(['The user denied this call. Their reason: Too dear']);
    expect(callsIn(await messageOf(ada, threadId, run.messageId))).toMatchObject([{ state: 'denied' }]);
    expect(tools.calls).toHaveLength(made);
  });

  test('resumes once all calls are decided, and runs calls without approval meanwhile', async () => {
    const threadId = await thread();
    const { run, reader, callIds } = await waiting(threadId, '[[call demo_pay demo_mail demo_clock]]');
    const answer = await messageOf(ada, threadId, run.messageId);
    expect(callsIn(answer).map(({ state }) => state)).toEqual(['waiting', 'waiting', 'done']);
    const [pay = '', mail = ''] = callIds;
    expect((await decide(run.id, pay, 'approve')).body.state).toBe('waiting');
    expect(await decide(run.id, pay, 'deny')).toMatchObject({ status: 409 });
    expect((await decide(run.id, mail, 'deny')).body.state).toBe('running');
    const events = await reader.all();
    expect(events.map(({ number }) => number)).toEqual(upTo(events.length));
    expect(callsIn(await messageOf(ada, threadId, run.messageId)).map(({ state }) => state)).toEqual([
      'done',
      'denied',
      'done',
    ]);
  });

  test('applies an approval to later calls until the tool changes', async () => {
    const threadId = await thread();
    const first = await waiting(threadId, '[[call demo_mail]]');
    await decide(first.run.id, first.callId, 'approve');
    await first.reader.all();
    expect((await ask(app, ada, threadId, '[[call demo_mail]]')).answer.state).toBe('complete');
    const other = await waiting(await thread(), '[[call demo_mail]]');
    await ada.post(`/api/runs/${other.run.id}/stop`);

    const pay = await waiting(threadId, '[[call 2 demo_pay]]');
    await decide(pay.run.id, pay.callId, 'approve_thread');
    expect(statesOf(await pay.reader.all())).toEqual(['running', 'waiting', 'running', 'done', 'running', 'done']);
    tools.offer('pay', { approval: 'always', digest: 'pay 2' });
    const changed = await waiting(threadId, '[[call demo_pay]]');
    // The tool changes again while the call waits, so the approval does not cover it.
    tools.offer('pay', { approval: 'always', digest: 'pay 3' });
    const made = tools.callsOf('pay').length;
    await decide(changed.run.id, changed.callId, 'approve');
    await until(
      'The second question',
      async () => statesOf(changed.reader.events).filter((state) => state === 'waiting').length === 2,
    );
    expect(tools.callsOf('pay')).toHaveLength(made);
    await until('It waits', async () => (await stateOf(changed.run.id)) === 'waiting');
    expect((await decide(changed.run.id, changed.callId, 'approve')).status).toBe(200);
    await changed.reader.all();
    expect(tools.callsOf('pay')).toHaveLength(made + 1);

    const approved = await waiting(await thread(), '[[call demo_pay]]');
    tools.withdraw('pay');
    await decide(approved.run.id, approved.callId, 'approve');
    await approved.reader.all();
    expect(await lastOutputs(app)).toEqual(['This tool is no longer available. It was not called.']);
    tools.offer('pay', { approval: 'always' });
  });

  test('resumes after a restart, also without the assistant', async () => {
    const { visitor } = await app.someone();
    const own = await createAssistant(visitor, { instructions: 'Speak as Ishmael.' });
    const threadId = await newThread(visitor, { assistantId: own, title: 'Long' });
    const { run, reader, callId } = await waiting(threadId, '[[call demo_pay]] [[call demo_mail]] Rome', visitor);
    reader.leave();
    await app.restart();
    expect((await visitor.delete(`/api/assistants/${own}`)).status).toBe(204);
    expect((await messageOf(visitor, threadId, run.messageId)).state).toBe('waiting');
    await forgetAsks(app);
    expect((await decide(run.id, callId, 'approve', undefined, visitor)).status).toBe(200);
    const events = await readEvents(app, visitor, run.id);
    expect(events.map(({ number }) => number)).toEqual(upTo(events.length));
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'complete' });
    const [request] = await asksOf(app);
    expect(request?.body).toMatchObject({ instructions: 'Speak as Ishmael.', model: 'gpt-4o' });
  });

  test('can be stopped and deleted, and does not block other threads', async () => {
    const threads = [await thread(), await thread(), await thread(), await thread()];
    const all = [];
    for (const id of threads) all.push(await waiting(id, '[[saying]] [[call demo_pay]]'));
    expect((await ask(app, ada, await thread(), 'hello')).answer.state).toBe('complete');
    const [stopped, deleted] = all;
    expect((await ada.post(`/api/runs/${stopped?.run.id}/stop`)).body.state).toBe('stopped');
    const events = (await stopped?.reader.all()) ?? [];
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'stopped' });
    const numbers = events.map(({ number }) => number);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    const answer = await messageOf(ada, threads[0] ?? 0, stopped?.run.messageId ?? 0);
    expect(answer).toMatchObject({ state: 'stopped', text: 'Let me look that up.', usage: { estimated: false } });
    expect(callsIn(answer)).toEqual([
      { name: 'demo_pay', state: 'failed', output: 'The tool was not called because the answer ended first.' },
    ]);
    expect(await decide(stopped?.run.id ?? 0, stopped?.callId ?? '', 'approve')).toMatchObject({ status: 409 });
    expect((await ada.delete(`/api/threads/${threads[1]}`)).status).toBe(204);
    await deleted?.reader.all();
    expect(await decide(deleted?.run.id ?? 0, deleted?.callId ?? '', 'approve')).toMatchObject({ status: 404 });
    for (const { run } of all.slice(2)) await ada.post(`/api/runs/${run.id}/stop`);
  });

  test('ends the run after seven days, with a note', async () => {
    const threadId = await thread();
    const { run, reader, callId } = await waiting(threadId, '[[call demo_pay]]');
    await withDatabase(app, (db) =>
      db.updateTable('runs').set({ waits_until: '2026-01-01T00:00:00.000Z' }).where('id', '=', run.id).execute(),
    );
    expect(await decide(run.id, callId, 'approve')).toMatchObject({ status: 409 });
    reader.leave();
    await app.restart();
    await until('Its end', async () => (await stateOf(run.id)) === 'stopped');
    expect(notesOf(await readEvents(app, ada, run.id))).toEqual([
      'Nobody approved or denied a tool call for seven days, so the answer was ended.',
    ]);
    expect((await messagesOf(ada, threadId)).at(-1)).toMatchObject({ state: 'stopped' });
  });

  test('lets a Viewer deny a call but not approve it', async () => {
    const { visitor, email } = await app.someone();
    const own = await createAssistant(visitor);
    const threadId = await newThread(visitor, { assistantId: own, title: 'Own' });
    const { run, callId } = await waiting(threadId, '[[call demo_pay]]', visitor);
    const made = tools.calls.length;
    await setUser(app, email, { role: 'Viewer' });
    for (const decision of ['approve', 'approve_thread'])
      expect(await decide(run.id, callId, decision, undefined, visitor)).toMatchObject({
        status: 403,
        body: { message: 'As a Viewer, you can deny a tool call but not approve it.' },
      });
    expect((await decide(run.id, callId, 'deny', undefined, visitor)).status).toBe(200);
    expect(statesOf(await readEvents(app, visitor, run.id))).toEqual(['running', 'waiting', 'denied']);
    expect((await messageOf(visitor, threadId, run.messageId)).state).toBe('complete');
    expect(tools.calls).toHaveLength(made);
  });

  test('accepts decisions only from an active owner with key and budget', async () => {
    const { visitor, email } = await app.someone();
    const own = await createAssistant(visitor);
    await ask(app, visitor, await newThread(visitor), '[[tokens 2000]]');
    const { id: projectId } = (await visitor.post('/api/projects', { name: 'Shop' })).body;
    const threadId = await newThread(visitor, { assistantId: own, title: 'Own', projectId });
    const { run, callId } = await waiting(threadId, '[[call demo_pay]]', visitor);
    const made = tools.calls.length;
    expect(await decide(run.id, callId, 'approve')).toMatchObject({ status: 404 });
    expect(await decide(run.id, 'call_other', 'approve', undefined, visitor)).toMatchObject({ status: 404 });
    expect(await decide(2_000_000_000, callId, 'approve', undefined, visitor)).toMatchObject({ status: 404 });
    expect(await decide(run.id, callId, 'perhaps', undefined, visitor)).toMatchObject({ status: 400 });
    expect(await decide(run.id, callId, 'deny', 'x'.repeat(1_001), visitor)).toMatchObject({ status: 400 });
    const { body: users } = await ada.get(`/api/admin/users?q=${email}`);
    const { id } = users.items.find((user: { email: string }) => user.email === email);
    await ada.patch(`/api/admin/users/${id}`, { role: 'Viewer' });
    expect(await decide(run.id, callId, 'approve', undefined, visitor)).toMatchObject({ status: 403 });
    await ada.patch(`/api/admin/users/${id}`, { role: 'Editor', status: 'Inactive' });
    expect(await decide(run.id, callId, 'approve', undefined, visitor)).toMatchObject({ status: 401 });
    await ada.patch(`/api/admin/users/${id}`, { status: 'Active' });
    await visitor.post('/api/login', { email, password });
    const budget = { assistantId: null, amountUsd: 0.01, hardStop: true, warnAt: 0.8, tz: 'UTC' };
    const { body: saved } = await visitor.post('/api/analytics/budgets', budget);
    expect(await decide(run.id, callId, 'approve', undefined, visitor)).toMatchObject({
      status: 409,
      body: { code: 'budget_exceeded' },
    });
    await visitor.delete(`/api/analytics/budgets/${saved.id}`);
    await withDatabase(app, (db) =>
      db.updateTable('usage_records').set({ cost_usd: 1 }).where('thread_id', '=', threadId).execute(),
    );
    const limit = { projectId, amountUsd: 0.01, hardStop: true };
    const { body: ofProject } = await visitor.post('/api/analytics/project-budgets', limit);
    expect(await decide(run.id, callId, 'approve', undefined, visitor)).toMatchObject({
      status: 409,
      body: { code: 'budget_exceeded', message: expect.stringContaining('for the project Shop') },
    });
    await visitor.delete(`/api/analytics/project-budgets/${ofProject.id}`);
    await visitor.delete('/api/settings/apikey');
    expect(await decide(run.id, callId, 'approve', undefined, visitor)).toMatchObject({
      status: 409,
      body: { code: 'no_api_key' },
    });
    expect(tools.calls).toHaveLength(made);
    expect(await stateOf(run.id)).toBe('waiting');
    // Deleting the account deletes it.
    expect((await visitor.delete('/api/user', { password })).status).toBe(204);
    expect(await stateOf(run.id)).toBeUndefined();
  });
});
