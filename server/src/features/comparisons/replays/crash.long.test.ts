import { describe, expect, test } from 'vitest';
import { engines } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, forgetAsks, newThread, until } from '#server/testing/chat';
import { comparisonOf, startOf } from '#server/testing/comparisons';
import { freeJobs, killableInstallation, registered } from '#server/testing/crash';
import { withDatabase } from '#server/testing/database';
import { newReplay, questionsOf } from '#server/testing/replays';

const endless = 'Endless [[bench 40000]] [[delay 20]]';

describe.each(engines)('a crash in the middle of a replay, on %s', (engine) => {
  test('continues, and pays for none of 20 questions twice', async () => {
    const { app, server } = await killableInstallation(engine);
    await server.start();
    const ada = await registered(server, 'ada');
    const assistantId = await createAssistant(ada);
    for (let number = 1; number <= 20; number++) {
      const threadId = await newThread(ada, { title: 'Asked', assistantId });
      const { message } = await ask(server, ada, threadId, `Question ${number} [[bench 2]]`);
      // Both that are asked together in the middle: the rest then waits.
      if (number === 11 || number === 12)
        await withDatabase(app, (db) =>
          db
            .updateTable('messages')
            .set({ text: `Question ${number} ${endless}` })
            .where('id', '=', message.id)
            .execute(),
        );
    }
    const questions = await questionsOf(ada, assistantId);
    expect(questions).toHaveLength(20);
    const ids = questions.map(({ answerId }) => answerId);
    const { comparison } = await newReplay(ada, assistantId, ids);
    await forgetAsks(app);
    expect((await startOf(ada, comparison.id)).status).toBe(202);
    const whole = () => comparisonOf(ada, comparison.id);
    await until('Both are being written', async () => {
      const { items } = await whole();
      return items.filter(({ candidate }) => candidate?.state === 'running').length === 2;
    });
    await server.kill();
    await freeJobs(app);
    await server.start();
    const ended = await until('The rest is asked', async () => {
      const now = await whole();
      return now.state === 'idle' && now;
    });
    const states = ended.items.map(({ candidate }) => candidate?.state);
    expect(states.filter((state) => state === 'complete')).toHaveLength(18);
    expect(states.filter((state) => state === 'interrupted')).toHaveLength(2);
    const requests = (await asksOf(app)).map(
      ({ body }) => `${body.model} ${JSON.stringify(body.input).match(/Question \d+/)}`,
    );
    expect(requests).toHaveLength(20);
    expect(new Set(requests).size).toBe(20);
    expect(requests.every((one) => one.startsWith('gpt-4.1 '))).toBe(true);
  });
});
