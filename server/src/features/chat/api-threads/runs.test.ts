import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { createApiRuns } from './runs.ts';

const unused = () => {
  throw new Error('Reading a run needs nothing else');
};

test.each(engines)('reports a run as waiting if it starts to wait while it is read, on %s', async (engine) => {
  const app = await startApp(engine);
  onTestFinished(() => app.stop());
  const { token } = await newToken(await app.withKey('ada'));
  const client = new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 });
  const tools = [{ type: 'function' as const, function: { name: 'get_weather' } }];
  const { id: assistant_id } = await client.beta.assistants.create({ model: 'gpt-4o', tools });
  const thread = { messages: [{ role: 'user' as const, content: '[[call]] Rain?' }] };
  await client.beta.threads.createAndRunPoll({ assistant_id, thread }, { pollIntervalMs: 20 });
  await withDatabase(app, async (db) => {
    const { run_id: id, user_id: userId } = await db.selectFrom('program_runs').selectAll().executeTakeFirstOrThrow();
    const become = (state: 'as_current' | 'waiting') => db.updateTable('program_runs').set({ state }).execute();
    await become('as_current');
    let hasRead = false;
    // The answer ends after the first statement.
    const late = db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (!hasRead) await become('waiting');
        hasRead = true;
        return result;
      },
    });
    const executor = { refuseWhenClosing: unused, start: unused, stop: unused, watch: unused };
    const runs = createApiRuns({
      db: late,
      instance: 0,
      executor,
      openKey: unused,
      checkBudget: unused,
      endedModels: { refuse: unused },
    });
    expect(await runs.find(userId, id)).toMatchObject({ state: 'waiting', calls: [{ name: 'get_weather' }] });
  });
});
