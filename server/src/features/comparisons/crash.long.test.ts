import { describe, expect, test } from 'vitest';
import { engines } from '#server/testing/app';
import { asksOf, until } from '#server/testing/chat';
import { comparisonOf, newComparison, startOf } from '#server/testing/comparisons';
import { freeJobs, killableInstallation, registered } from '#server/testing/crash';

describe.each(engines)('a crash while a comparison is asked, on %s', (engine) => {
  test('continues with what was not asked, and asks nothing twice', async () => {
    const { app, server } = await killableInstallation(engine);
    await server.start();
    const ada = await registered(server, 'ada');
    const endless = 'Cut [[bench 40000]] [[delay 20]]';
    const left = ['Left A', 'Left B', 'Left C'].map((word) => `${word} [[bench 5]]`);
    const { id } = await newComparison(ada, [`Whole [[bench 5]]`, endless, ...left]);
    expect((await startOf(ada, id)).status).toBe(202);
    await until('Both answers to the second prompt are being written', async () => {
      const [, item] = (await comparisonOf(ada, id)).items;
      return item?.candidate?.state === 'running' && item.baseline?.state === 'running';
    });
    await server.kill();
    await freeJobs(app);
    await server.start();
    const ended = await until('The rest is asked', async () => {
      const comparison = await comparisonOf(ada, id);
      return comparison.state === 'idle' && comparison;
    });
    expect(ended.items.map(({ candidate, baseline }) => [candidate?.state, baseline?.state])).toEqual([
      ['complete', 'complete'],
      ['interrupted', 'interrupted'],
      ['complete', 'complete'],
      ['complete', 'complete'],
      ['complete', 'complete'],
    ]);
    const requests = (await asksOf(app)).map(
      ({ body }) => `${body.model} ${JSON.stringify(body.input).match(/Whole|Cut|Left [ABC]/)}`,
    );
    expect(requests).toHaveLength(10);
    expect(new Set(requests).size).toBe(10);

    // Asked again at a user's request.
    expect((await startOf(ada, id)).status).toBe(202);
    await until('They are asked again', async () => (await asksOf(app)).length === 12);
  });
});
