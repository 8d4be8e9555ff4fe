import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ownTime } from '#server/testing/process-clock';
import { UnavailableError } from './errors.ts';
import { createWatchdog, UnresponsiveError } from './watchdog.ts';

test('rejects callers of a silent peer within three seconds, even while others fail at once', async () => {
  const watch = createWatchdog({ probe: () => Promise.reject(new Error('there is none')) });
  onTestFinished(() => watch.stop());
  const since = ownTime();
  let isReported = false;
  const waiting = watch
    .during(() => new Promise(() => undefined))
    .finally(() => {
      isReported = true;
    });
  waiting.catch(() => undefined);
  while (!isReported && ownTime() - since < 6_000) {
    const refused = () => Promise.reject(new UnavailableError('database', new Error('try again later')));
    await watch.during(refused).catch(() => undefined);
    await sleep(50);
  }
  expect(ownTime() - since).toBeLessThan(4_000);
  await expect(waiting).rejects.toThrow(UnresponsiveError);
});
