import { describe, expect, test } from 'vitest';
import { engines } from '#server/testing/app';
import { asksOf, forgetAsks, until } from '#server/testing/chat';
import { answeredComparison, judge, judgedBy, judgingOf, judgingsPath } from '#server/testing/comparisons';
import { freeJobs, killableInstallation, registered } from '#server/testing/crash';
import { withFault } from '#server/testing/faults';

describe.each(engines)('a crash while answers are judged, on %s', (engine) => {
  test('continues with what was not asked, and asks each order once', async () => {
    const { app, server } = await killableInstallation(engine);
    await server.start();
    const ada = await registered(server, 'ada');
    const { id } = await answeredComparison(app, ada, ['a', 'b', 'c']);
    await forgetAsks(app);
    const judgingId = await withFault(app, { hangAfter: 3 }, { path: '/responses' }, async () => {
      const { body } = await judge(ada, id);
      await until('Both orders of the first are being written', async () => {
        const [verdict] = (await judgingOf(ada, id, body.id)).verdicts;
        return verdict?.candidateFirst?.state === 'running' && verdict.baselineFirst?.state === 'running';
      });
      await server.kill();
      return body.id;
    });
    expect(await asksOf(app)).toHaveLength(2);
    await freeJobs(app);
    await server.start();
    const ended = await judgedBy(ada, id, judgingId);
    expect(ended.verdicts.map(({ outcome, candidateFirst }) => [outcome, candidateFirst?.state])).toEqual([
      [null, 'interrupted'],
      ['candidate', 'complete'],
      ['candidate', 'complete'],
    ]);
    expect(ended.verdicts[0]?.baselineFirst).toMatchObject({ state: 'interrupted', usage: { estimated: true } });
    expect([await asksOf(app), ended.open]).toMatchObject([{ length: 6 }, 1]);

    // Asked again at a user's request.
    expect((await ada.post(`${judgingsPath(id)}/${judgingId}/start`, {})).status).toBe(202);
    const again = await judgedBy(ada, id, judgingId);
    expect([again.open, again.tally.candidate]).toEqual([0, 3]);
    expect(await asksOf(app)).toHaveLength(8);
  });
});
