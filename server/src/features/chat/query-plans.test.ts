import { expect, test } from 'vitest';
import { connect } from '#server/db/connect';
import { migrate } from '#server/db/migrate';
import { usageRepository } from '#server/features/usage/repository';
import { emptyDatabase } from '#server/testing/app';
import { plansOf } from '#server/testing/query-plans';
import { madeFileRepository } from './made-files/repository.ts';
import { branchRepository } from './messages/branch-repository.ts';
import { messageFileRepository } from './messages/file-repository.ts';
import { messageRepository } from './messages/repository.ts';
import { siblingsOf } from './messages/row-repository.ts';
import { runRepository } from './runs/repository.ts';
import { serverCallRepository } from './runs/server-call-repository.ts';
import { toolCallRepository } from './runs/tool-call-repository.ts';
import { searchRepository } from './search/repository.ts';
import { findThreads } from './search/threads-repository.ts';
import { threadRepository } from './threads/repository.ts';

const branch = { threadId: 1, head: 1, from: 0, to: 49 };

test('no question of a conversation looks at all runs or at all messages of a person', async () => {
  const { dataDir, remove } = await emptyDatabase('sqlite');
  const database = connect(undefined, dataDir);
  await migrate(database);
  const plans = await plansOf(database.db, async (db) => {
    const threads = threadRepository(db);
    await threads.find(1, 1);
    await threads.list(1, { archived: false, programs: false, limit: 50, after: undefined });
    await threads.list(1, { archived: true, programs: undefined, limit: 50, after: undefined });
    await threads.list(1, { archived: false, programs: true, limit: 50, after: undefined });
    await branchRepository(db).messages(1, branch);
    await branchRepository(db).words(1, branch);
    await branchRepository(db).wordsBefore(1, 1, 1);
    await messageFileRepository(db).of(1, [1, 2]);
    await madeFileRepository(db).unkept(1, [1, 2]);
    await madeFileRepository(db).begin(1, 1, '2026-11-01T00:00:00.000Z');
    await madeFileRepository(db).giveUp('2026-11-01T00:00:00.000Z', '');
    await toolCallRepository(db).shown(1, [1, 2]);
    await toolCallRepository(db).ofMessages(1, [1, 2]);
    await toolCallRepository(db).ofRuns(1, [1, 2]);
    await messageFileRepository(db).releaseThread(1, 1);
    await serverCallRepository(db).open(1, 1);
    await serverCallRepository(db).ofRun(1, 1);
    await serverCallRepository(db).approvals(1, 1);
    await usageRepository(db).ofSteps(1, [1, 2]);
    await runRepository(db).expired('2026-11-01T00:00:00.000Z', 10);
    await runRepository(db).underWay(1);
    await runRepository(db).allUnderWay();
  });
  expect(plans.length).toBeGreaterThanOrEqual(8);
  const lists = plans.filter((plan) => /threads USING INDEX threads_(of|in)_/.test(plan));
  expect(lists).toHaveLength(3);
  // The only thing sorted is which of a conversation’s runs is named.
  for (const list of lists) expect(list.match(/TEMP B-TREE/g)).toHaveLength(1);
  for (const plan of plans) {
    // Both indexes have only runs that are under way.
    expect(plan).not.toMatch(/SCAN runs(?! USING INDEX runs_(under_way|one_question_per_thread))/);
    expect(plan).not.toMatch(/messages USING .*\(user_id=\?\)/);
    expect(plan).not.toMatch(/SCAN message_files|message_files USING .*\(user_id=\?\)/);
    expect(plan).not.toMatch(/SCAN made_files(?! USING INDEX made_files_to_fetch)|made_files USING .*\(user_id=\?\)/);
    expect(plan).not.toMatch(
      /SCAN (thread_approvals|usage_records)|(thread_approvals|usage_records) USING .*\(user_id=\?\)/,
    );
    expect(plan).not.toMatch(/SCAN (tool_calls|program_runs)|tool_calls USING .*\(user_id=\?\)/);
  }
  await database.close();
  await remove();
});

test('what stands beside the beginning of a conversation is looked for in it, not among the beginnings of all', async () => {
  const { dataDir, remove } = await emptyDatabase('sqlite');
  const database = connect(undefined, dataDir);
  await migrate(database);
  const plans = await plansOf(database.db, async (db) => {
    await siblingsOf(db, 1, 1, [], true);
    await siblingsOf(db, 1, 1, [1, 2], true);
  });
  expect(plans).toHaveLength(2);
  for (const plan of plans) expect(plan).toMatch(/messages USING INDEX \S+ \(thread_id=\?\)/);
  await database.close();
  await remove();
});

test('what was found is looked up one by one, and its conversations are not walked through', async () => {
  const { dataDir, remove } = await emptyDatabase('sqlite');
  const database = connect(undefined, dataDir);
  const { db } = database;
  await migrate(database);
  const at = '2026-11-01T00:00:00.000Z';
  const user = { email: 'ada@example.com', role: 'Admin', status: 'Active', created_at: at } as const;
  const { id: userId } = await db.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
  const thread = { title: 'Plain', titleSource: 'chosen', assistantId: null, model: null, at } as const;
  for (let number = 0; number < 51; number++) {
    const { id: threadId } = await threadRepository(db).insert(userId, thread);
    const message = { threadId, parentId: null, depth: 0, position: 1, role: 'user', client: null, at } as const;
    const id = await messageRepository(db).insert(userId, { ...message, text: 'words' });
    await searchRepository(db).putMessage(userId, id ?? 0, 'words');
  }
  const search = { archived: undefined, programs: undefined, limit: 50, after: undefined };
  const plans = await plansOf(db, async (watched) => {
    expect(await findThreads(watched, userId, 'words', search)).toHaveLength(51);
  });
  for (const plan of plans)
    expect(plan).not.toMatch(/(threads|messages) USING .*\(user_id=\?\)|SCAN (threads|messages)/);
  await database.close();
  await remove();
});
