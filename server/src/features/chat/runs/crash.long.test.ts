import { describe, expect, test } from 'vitest';
import { engines } from '#server/testing/app';
import { ask, benchText, clientId, messagesOf, newThread, until } from '#server/testing/chat';
import {
  type KillableServer,
  killableInstallation,
  registered,
  roundsOr,
  seeded,
  witness,
} from '#server/testing/crash';
import { withDatabase } from '#server/testing/database';
import { lastOf, readEvents, textOf } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';

const rounds = { sqlite: roundsOr(10), postgres: roundsOr(4) };
const long = '[[bench 400]] [[delay 10]]';
const whole = benchText(400);

type Sent = { messageId: number; runId: number };
type Line = { visitor: HttpClient; threadId: number; sent: Sent[]; next: string };

/** Sends the next message; undefined: not acknowledged, so it may or may not be stored. */
async function sendNext({ visitor, threadId, next, sent }: Line): Promise<Sent | undefined> {
  const body = { message: `${long} ${next}`, clientId: next };
  const answer = await visitor.post(`/api/threads/${threadId}/messages`, body).catch(() => undefined);
  if (answer === undefined) return undefined;
  expect([answer.status, answer.body.message?.text]).toEqual([202, body.message]);
  const acknowledged = { messageId: answer.body.message.id, runId: answer.body.run.id };
  sent.push(acknowledged);
  return acknowledged;
}

describe.each(engines)('a server that is killed repeatedly on %s', (engine) => {
  test('loses, duplicates and leaves hanging nothing that was acknowledged', async () => {
    const { app, server } = await killableInstallation(engine);
    await server.start();
    const lines = await linesOf([await registered(server, 'ada'), await registered(server, 'bob')]);
    const random = seeded(20_261_120);
    const startTimes: number[] = [];

    for (let round = 0; round < rounds[engine]; round++) {
      for (const line of lines) line.next = clientId();
      const sending = lines.map(sendNext);
      const { killedAt, waited, watching } = await killAtSomeMoment(server, round, lines, sending, random);
      const seen = watching.map((reader) => ({
        all: textOf(reader.events),
        aSecondBefore: textOf(reader.seenBefore(killedAt - 1_000 - waited)),
      }));
      for (const reader of watching) reader.leave();
      const unsure = (await Promise.all(sending)).flatMap((sent, index) => (sent ? [] : (lines[index] ?? [])));

      startTimes.push(await server.start());
      if (engine === 'sqlite') expect(await inProgressIn(app)).toBe(0);
      // PostgreSQL takes a moment to notice the dead process's connection.
      else await until('The end of every run', async () => (await inProgressIn(app)) === 0);

      // Unacknowledged messages are sent again, as a browser does, and must not be stored twice.
      for (const line of unsure) {
        const sent = await sendNext(line);
        await line.visitor.post(`/api/runs/${sent?.runId}/stop`);
      }
      for (const [index, line] of lines.entries())
        await checkLine(server, line, seen[index] ?? { all: '', aSecondBefore: '' });
    }
    // The limit is 5 s; the disk may be busy during some of them.
    expect(startTimes.toSorted((a, b) => a - b)[Math.floor(startTimes.length / 2)]).toBeLessThan(5_000);
    for (const { visitor, threadId } of lines)
      expect((await ask(server, visitor, threadId, 'Are you still there?')).answer.state).toBe('complete');
    const positions = await withDatabase(app, (db) =>
      db.selectFrom('messages').select(['thread_id', 'position']).orderBy('id').execute(),
    );
    expect(new Set(positions.map(({ thread_id, position }) => `${thread_id} ${position}`)).size).toBe(positions.length);
    expect(await server.terminate()).toBe(0);
  });
});

/** Two threads per user. */
async function linesOf(people: HttpClient[]): Promise<Line[]> {
  const lines = [];
  for (const visitor of [...people, ...people])
    lines.push({ visitor, threadId: await newThread(visitor, { title: 'Crashed' }), sent: [], next: '' });
  return lines;
}

/** Checks that acknowledged messages are there once and in order, and the last answer as far as possible. */
async function checkLine(
  server: KillableServer,
  { visitor, threadId, sent }: Line,
  seen: { all: string; aSecondBefore: string },
) {
  const stored = await messagesOf(visitor, threadId);
  const questions = stored.filter(({ role }) => role === 'user').map(({ id }) => id);
  expect(questions).toEqual(sent.map(({ messageId }) => messageId));
  const last = stored.at(-1);
  const runId = Number(last?.run?.id);
  expect(whole.startsWith(last?.text ?? 'nothing')).toBe(true);
  expect(last?.text.startsWith(seen.aSecondBefore)).toBe(true);
  expect(['complete', 'interrupted', 'stopped']).toContain(last?.state);
  if (last?.state === 'complete') expect(last.text).toBe(whole);
  if (last?.state === 'interrupted') expect(last.error?.code).toBe('interrupted');
  const events = await readEvents(server, visitor, runId);
  expect(textOf(events)).toBe(last?.text);
  // A returning reader that has seen more than was stored gets the end.
  const after = seen.all.length / ' t0000'.length;
  expect(lastOf(await readEvents(server, visitor, runId, { after }))).toEqual(lastOf(events));
}

const inProgressIn = (app: Parameters<typeof withDatabase>[0]) =>
  withDatabase(app, async (db) => {
    const rows = await db.selectFrom('runs').select('id').where('state', 'in', ['queued', 'running']).execute();
    return rows.length;
  });

/** While sending, right after a 202, during a stream, or while others write. */
async function killAtSomeMoment(
  server: KillableServer,
  round: number,
  lines: Line[],
  sending: Promise<Sent | undefined>[],
  random: (below: number) => number,
) {
  const watching: Awaited<ReturnType<typeof witness>>[] = [];
  if (round % 5 === 0) await Promise.race(sending);
  else if (round % 5 !== 1) {
    for (const [index, sent] of (await Promise.all(sending)).entries()) {
      const { visitor } = lines[index] ?? {};
      if (visitor && sent) watching.push(await witness(server, visitor, sent.runId));
    }
    await watching[random(watching.length)]?.until(1 + random(round % 5 === 2 ? 20 : 120));
  } else await Promise.all(sending);
  const writing =
    round % 3 === 0
      ? lines.map(({ visitor }) => visitor.post('/api/threads', { title: 'Meanwhile' }).catch(() => undefined))
      : [];
  const killedAt = performance.now();
  // The second is CPU time of the server, because the machine may be busy.
  const waited = server.waited();
  await server.kill();
  await Promise.all(writing);
  return { killedAt, waited, watching };
}
