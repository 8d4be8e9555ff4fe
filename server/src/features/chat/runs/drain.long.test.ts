import { createSimulator } from '@roster/simulator/simulator';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '#server/testing/app';
import { benchText, messageOf, newThread, post, sendMessage, until } from '#server/testing/chat';
import { killableServer, registered } from '#server/testing/crash';
import { lastOf, openEvents, textOf } from '#server/testing/events';
import { bareRequest } from '#server/testing/test-environment';

test('rejects new runs on SIGTERM, lets active ones end, and interrupts the rest', async () => {
  const database = await emptyDatabase('sqlite');
  const simulator = createSimulator({ tokenDelayMs: 0 });
  const provider = await simulator.listen();
  const server = await killableServer({ DATA_DIR: database.dataDir, PROVIDER_BASE_URL: provider.url });
  onTestFinished(async () => {
    await server.kill();
    await simulator.close();
    await database.remove();
  });
  await server.start();
  const ada = await registered(server, 'ada');
  const [short, endless, idle] = [await newThread(ada), await newThread(ada), await newThread(ada)];
  const quick = await sendMessage(ada, short, '[[bench 200]] [[delay 20]]');
  const slow = await sendMessage(ada, endless, '[[bench 40000]] [[delay 20]]');
  const readers = [await openEvents(server, ada, quick.run.id), await openEvents(server, ada, slow.run.id)];
  await Promise.all(readers.map((reader) => reader.until(3)));

  const [before, waitedBefore] = [performance.now(), server.waited()];
  let waited = 0;
  const watching = setInterval(() => {
    waited = Math.max(waited, server.waited() - waitedBefore);
  }, 50);
  onTestFinished(() => clearInterval(watching));
  const stopped = server.terminate();
  await until('The signal', async () => (await server.status('/readyz')) === 503);
  expect((await bareRequest(server, 'GET', '/readyz')).body.parts).toEqual({ server: 'stopping' });
  expect(await server.status('/healthz')).toBe(200);
  const refused = await post(ada, idle, 'Too late');
  expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  const [finished = [], cut = []] = await Promise.all(readers.map((reader) => reader.all()));
  expect(lastOf(finished)).toEqual({ type: 'finished', reason: 'complete' });
  expect(textOf(finished)).toBe(benchText(200));
  expect(lastOf(cut)).toMatchObject({ type: 'failed', error: { code: 'interrupted' } });
  expect(await stopped).toBe(0);
  // Measured by the server's own CPU time, because the machine may be busy.
  expect(performance.now() - before - waited).toBeLessThan(30_000);
  expect(server.output()).not.toMatch(/"level":[56]0/);

  await server.start();
  expect(await messageOf(ada, short, quick.run.messageId)).toMatchObject({ state: 'complete', text: benchText(200) });
  const interrupted = await messageOf(ada, endless, slow.run.messageId);
  expect(interrupted).toMatchObject({ state: 'interrupted', text: textOf(cut), usage: { estimated: true } });
  expect(benchText(40_000).startsWith(interrupted.text)).toBe(true);
  expect((await post(ada, idle, 'hello')).status).toBe(202);
});
