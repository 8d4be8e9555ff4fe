import { StatementSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startApp, type TestApp } from '#server/testing/app';
import { newThread, sendMessage } from '#server/testing/chat';
import { readEvents } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';

let app: TestApp;
let ada: HttpClient;
beforeAll(async () => {
  app = await startApp('sqlite');
  ada = await app.withKey('ada');
});
afterAll(() => app.stop());

/** The statements during `work`, without those of jobs and stream sessions. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const spies = [vi.spyOn(StatementSync.prototype, 'run'), vi.spyOn(StatementSync.prototype, 'all')];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  await work();
  const statements = spies.flatMap(({ mock }) =>
    mock.contexts.map((of, index) => ({
      order: mock.invocationCallOrder[index] ?? 0,
      sql: of instanceof StatementSync ? of.sourceSQL : '',
    })),
  );
  return statements
    .sort((a, b) => a.order - b.order)
    .map(({ sql }) => sql)
    .filter((sql) => !/"jobs"|"sessions"\."id" in/.test(sql));
}

test('limits the statements and commits of an exchange', async () => {
  const threadId = await newThread(ada, { title: 'Chosen, so that no title is asked for' });
  const exchange = async (text: string) => {
    const { run } = await sendMessage(ada, threadId, text);
    await readEvents(app, ada, run.id);
  };
  await exchange('The first one fills what is filled once [[bench 3]]');
  const statements = await statementsOf(() => exchange('The second one is counted [[bench 3]]'));
  // Follow-up work such as the title comes after the end.
  const until = statements.slice(0, statements.lastIndexOf('commit') + 1);
  // A run opens the key of its own model's connection, besides the check before anything is stored.
  // Before raising a number, document here why every message needs one more statement.
  expect(until.filter((sql) => sql === 'commit')).toHaveLength(2);
  expect(until.filter((sql) => !/^(begin|savepoint|release|commit)/.test(sql))).toHaveLength(28);
});
