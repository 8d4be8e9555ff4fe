import { describe, expect, test } from 'vitest';
import { engines } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { asksOf, forgetAsks, until } from '#server/testing/chat';
import { comparisonOf } from '#server/testing/comparisons';
import { freeJobs, killableInstallation, registered } from '#server/testing/crash';
import { newSet, runOf, runTestSet, typed, untilRunEnds } from '#server/testing/test-sets';

/** Answered as its instructions say. */
const quick = (number: number) => `Question ${number} [[delay 0]]`;
/** Still being written when the process is killed. */
const slow = (number: number) => `Question ${number} [[bench 40000]] [[delay 20]]`;

describe.each(engines)('a crash in the middle of a run, on %s', (engine) => {
  test('continues and is judged as planned, and asks nothing twice', async () => {
    const { app, server } = await killableInstallation(engine);
    await server.start();
    const ada = await registered(server, 'ada');
    const assistantId = await createAssistant(ada, { instructions: 'Be brief.' });
    const { id } = await newSet(ada, assistantId, typed(quick(1), quick(2)));
    const first = await runTestSet(ada, id);
    await ada.patch(`/api/assistants/${assistantId}`, { instructions: 'Be very long and friendly.' });
    const { items } = (await ada.get(`/api/test-sets/${id}`)).body;
    const kept = items.map((item: { id: number }) => ({ kind: 'kept', questionId: item.id }));
    await ada.patch(`/api/test-sets/${id}`, { questions: [...typed(slow(3), slow(4)), ...kept] });
    await forgetAsks(app);
    const { body: run } = await runOf(ada, id, {
      candidate: { kind: 'version', version: 2 },
      baseline: { kind: 'run', runId: first.id },
      judge: { model: 'gpt-4o', criteria: 'The longer one.' },
    });
    await until('Both slow ones are being written', async () => {
      const { items: prompts } = await comparisonOf(ada, run.id);
      return prompts.filter(({ candidate }) => candidate?.state === 'running').length === 2;
    });
    await server.kill();
    await freeJobs(app);
    await server.start();
    const ended = await untilRunEnds(ada, run.id);
    expect(ended.counts).toMatchObject({ better: 2, unanswered: 2, open: 0 });
    const requests = (await asksOf(app)).map(({ body }) =>
      String(body.instructions).startsWith('You judge')
        ? 'judge'
        : String(JSON.stringify(body.input).match(/Question \d+/)),
    );
    expect(requests.sort()).toEqual([
      ...['Question 1', 'Question 2', 'Question 3', 'Question 4'],
      ...['judge', 'judge', 'judge', 'judge'],
    ]);
  });
});
