import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Engine } from '#server/db/connect';
import { engines } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { messageOf, newThread, sendMessage, until } from '#server/testing/chat';
import { killableInstallation, registered } from '#server/testing/crash';
import { lastOf, openEvents, readEvents, upTo } from '#server/testing/events';
import { freePort } from '#server/testing/free-port';
import { createHttpClient, type HttpClient } from '#server/testing/http-client';
import { spawnServer, untilReady } from '#server/testing/process';
import { callsIn, statesOf } from '#server/testing/tool-box';

/** A tool server that records calls and answers when allowed to. */
async function toolPlace() {
  const called: string[] = [];
  let isOpen = false;
  const answers: (() => void)[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { tool }: { tool: string } = JSON.parse(body);
      called.push(tool);
      const answer = () => response.end(`${tool} is done`);
      if (isOpen) answer();
      else answers.push(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://localhost:${port}`,
    called,
    open() {
      isOpen = true;
      for (const answer of answers.splice(0)) answer();
    },
  };
}

async function installation(engine: Engine) {
  const tools = await toolPlace();
  const { app, server } = await killableInstallation(engine, { env: { TOOLS_URL: tools.url } });
  await server.start();
  const ada = await registered(server, 'ada');
  const threadId = await newThread(ada, { assistantId: await createAssistant(ada), title: 'With tools' });
  const decide = (runId: number, callId: string | undefined, decision: string, visitor: HttpClient = ada) =>
    visitor.post(`/api/runs/${runId}/approvals/${callId}`, { decision });
  return { tools, app, server, ada, threadId, decide };
}

describe.each(engines)('a server killed during tool calls, on %s', (engine) => {
  test('restores calls that wait for approval, and resumes', async () => {
    const { tools, server, ada, threadId, decide } = await installation(engine);
    tools.open();
    const { run } = await sendMessage(ada, threadId, '[[saying]] [[call demo_pay]]');
    const answer = () => messageOf(ada, threadId, run.messageId);
    await until('The question', async () => (await answer()).state === 'waiting');
    const seen = await openEvents(server, ada, run.id);
    await until('The event', async () => statesOf(seen.events).includes('waiting'));
    await server.kill();
    await server.start();
    const waiting = await answer();
    expect(waiting).toMatchObject({ state: 'waiting', text: 'Let me look that up.' });
    expect(tools.called).toEqual([]);
    expect((await decide(run.id, waiting.calls?.[0]?.callId, 'approve')).status).toBe(200);
    const rest = await readEvents(server, ada, run.id, { after: seen.events.length });
    const all = [...seen.events, ...rest];
    expect(all.map(({ number }) => number)).toEqual(upTo(all.length));
    expect(lastOf(all)).toEqual({ type: 'finished', reason: 'complete' });
    expect(callsIn(await answer())).toEqual([{ name: 'demo_pay', state: 'done', output: 'pay is done' }]);
    expect(tools.called).toEqual(['pay']);
  });

  test('repeats a call that may have run only after approval', async () => {
    const { tools, server, ada, threadId, decide } = await installation(engine);
    const { run } = await sendMessage(ada, threadId, '[[call demo_act]]');
    const answer = () => messageOf(ada, threadId, run.messageId);
    await until('The call', async () => tools.called.length === 1);
    const seen = await openEvents(server, ada, run.id);
    await seen.until(1);
    await server.kill();
    await server.start();
    await until('The question', async () => (await answer()).state === 'waiting');
    expect((await answer()).calls).toMatchObject([{ state: 'uncertain', output: null }]);
    expect(tools.called).toEqual(['act']);
    tools.open();
    expect((await decide(run.id, (await answer()).calls?.[0]?.callId, 'approve')).status).toBe(200);
    const rest = await readEvents(server, ada, run.id, { after: seen.events.length });
    const all = [...seen.events, ...rest];
    expect(new Set(all.map(({ number }) => number)).size).toBe(all.length);
    expect(callsIn(await answer())).toEqual([{ name: 'demo_act', state: 'done', output: 'act is done' }]);
    expect(tools.called).toEqual(['act', 'act']);
  });

  test('keeps a denied call that may have run as uncertain', async () => {
    const { tools, server, ada, threadId, decide } = await installation(engine);
    const { run } = await sendMessage(ada, threadId, '[[call demo_act]]');
    const answer = () => messageOf(ada, threadId, run.messageId);
    await until('The call', async () => tools.called.length === 1);
    await server.kill();
    await server.start();
    await until('The question', async () => (await answer()).state === 'waiting');
    await decide(run.id, (await answer()).calls?.[0]?.callId, 'deny');
    await readEvents(server, ada, run.id);
    expect(await answer()).toMatchObject({ state: 'complete' });
    expect(callsIn(await answer())).toEqual([
      {
        name: 'demo_act',
        state: 'uncertain',
        output: 'An earlier try of it may have run. The user denied this call.',
      },
    ]);
    expect(tools.called).toEqual(['act']);
  });

  test('asks before repeating a call after a shutdown during a tool call', async () => {
    const { tools, server, ada, threadId } = await installation(engine);
    const { run } = await sendMessage(ada, threadId, '[[call demo_act]]');
    const answer = () => messageOf(ada, threadId, run.messageId);
    await until('The call', async () => tools.called.length === 1);
    expect(await server.terminate()).toBe(0);
    await server.start();
    await until('The question', async () => (await answer()).state === 'waiting');
    expect((await answer()).calls).toMatchObject([{ state: 'uncertain', output: null }]);
    expect((await ada.post(`/api/runs/${run.id}/stop`)).body.state).toBe('stopped');
    expect(callsIn(await answer())).toMatchObject([
      { state: 'uncertain', output: expect.stringContaining('may have run') },
    ]);
    expect(tools.called).toEqual(['act']);
  });

  test('repeats a read-only call and resumes by itself', async () => {
    const { tools, server, ada, threadId } = await installation(engine);
    const { run } = await sendMessage(ada, threadId, '[[call demo_look]]');
    await until('The call', async () => tools.called.length === 1);
    await server.kill();
    tools.open();
    await server.start();
    await readEvents(server, ada, run.id);
    const answer = await messageOf(ada, threadId, run.messageId);
    expect(answer.state).toBe('complete');
    expect(callsIn(answer)).toEqual([{ name: 'demo_look', state: 'done', output: 'look is done' }]);
    expect(tools.called).toEqual(['look', 'look']);
  });
});

test('accepts an approval on any process, and survives a killed one', async () => {
  const { tools, app, server, ada, threadId, decide } = await installation('postgres');
  const port = await freePort();
  const place = { url: `http://localhost:${port}`, origin: `http://localhost:${port}` };
  const other = spawnServer({
    ...{ PORT: String(port), DATA_DIR: app.dataDir, DATABASE_URL: String(app.databaseUrl), TOOLS_URL: tools.url },
    ...{ PROVIDER_BASE_URL: app.provider.url, RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'warn' },
  });
  await untilReady(other, port);
  onTestFinished(async () => {
    other.child.kill('SIGKILL');
    await other.ended;
  });
  const adaThere = createHttpClient(() => place);
  for (const [name, value] of ada.cookies) adaThere.cookies.set(name, value);

  const { run } = await sendMessage(ada, threadId, '[[call demo_pay]]');
  const here = await openEvents(server, ada, run.id);
  const there = await openEvents(place, adaThere, run.id);
  const answer = () => messageOf(adaThere, threadId, run.messageId);
  await until('The question', async () => (await answer()).state === 'waiting');
  const callId = (await answer()).calls?.[0]?.callId;
  // Two concurrent decisions: one counts.
  const decided = await Promise.all([decide(run.id, callId, 'approve', adaThere), decide(run.id, callId, 'approve')]);
  expect(decided.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  // Both readers saw the same events from each process.
  for (const { events } of [here, there]) await until('The call', async () => statesOf(events).includes('running'));
  tools.open();
  const [seen, seenThere] = [await here.all(), await there.all()];
  expect(seenThere).toEqual(seen);
  expect(seen.map(({ number }) => number)).toEqual(upTo(seen.length));
  expect(tools.called).toEqual(['pay']);

  const next = await sendMessage(ada, threadId, '[[call demo_pay]]');
  const nextAnswer = () => messageOf(adaThere, threadId, next.run.messageId);
  await until('The next question', async () => (await nextAnswer()).state === 'waiting');
  await server.kill();
  expect((await decide(next.run.id, (await nextAnswer()).calls?.[0]?.callId, 'approve', adaThere)).status).toBe(200);
  await readEvents(place, adaThere, next.run.id);
  expect((await nextAnswer()).state).toBe('complete');
});
