import { expect, test } from 'vitest';
import { emptyDatabase } from '#server/testing/app';
import { plansOf } from '#server/testing/query-plans';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import { messageFileRepository } from './messages/file-repository.ts';
import { messageRepository } from './messages/repository.ts';
import { runRepository } from './runs/repository.ts';
import { threadRepository } from './threads/repository.ts';

const branch = { threadId: 1, head: 1, from: 0, to: 49 };

test('no question of a conversation looks at all runs or at all messages of a person', async () => {
  const { dataDir, remove } = await emptyDatabase('sqlite');
  const database = connect(undefined, dataDir);
  await migrate(database);
  const plans = await plansOf(database.db, async (db) => {
    const threads = threadRepository(db);
    await threads.find(1, 1);
    await threads.list(1, { archived: false, limit: 50, after: undefined });
    await threads.search(1, 'words', { archived: undefined, limit: 50, after: undefined });
    await messageRepository(db).inBranch(1, branch);
    await messageRepository(db).wordsInBranch(1, branch);
    await messageRepository(db).wordsBefore(1, 1, 1);
    await messageFileRepository(db).of(1, [1, 2]);
    await messageFileRepository(db).releaseThread(1, 1);
    await runRepository(db).underWay(1);
    await runRepository(db).allUnderWay();
  });
  expect(plans.length).toBeGreaterThanOrEqual(8);
  for (const plan of plans) {
    expect(plan).not.toMatch(/SCAN runs(?! USING INDEX runs_under_way)/);
    expect(plan).not.toMatch(/messages USING .*\(user_id=\?\)/);
    expect(plan).not.toMatch(/SCAN message_files|message_files USING .*\(user_id=\?\)/);
  }
  await database.close();
  await remove();
});
