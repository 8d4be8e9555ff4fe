import { expect, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { usageRepository } from '#server/features/usage/repository';
import { readyDatabase } from '#server/testing/app';
import { plansOf } from '#server/testing/query-plans';
import { generatedFileRepository } from './generated-files/repository.ts';
import { runClaimRepository } from './runs/lifecycle/claim-repository.ts';
import { findThreads } from './search/threads-repository.ts';
import { branchRepository } from './shared/branch-repository.ts';
import { messageFileRepository } from './shared/message-file-repository.ts';
import { messageRepository } from './shared/message-repository.ts';
import { siblingsOf } from './shared/message-row-repository.ts';
import { runRepository } from './shared/run-repository.ts';
import { searchRepository } from './shared/search-repository.ts';
import { serverCallRepository } from './shared/server-call-repository.ts';
import { idsFulfilling } from './shared/thread-filter-repository.ts';
import { threadRepository } from './shared/thread-repository.ts';
import { toolCallRepository } from './shared/tool-call-repository.ts';

const filters = {
  assistantId: 1,
  model: 'gpt-4o',
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-02T00:00:00.000Z',
  files: true,
  rating: 'good',
} as const;
const branch = { threadId: 1, head: 1, from: 0, to: 49 };

test('scans neither all runs nor all messages of a user', async () => {
  const { dataDir, remove } = await readyDatabase('sqlite');
  const database = openDatabase(undefined, dataDir);
  const plans = await plansOf(database.db, async (db) => {
    const threads = threadRepository(db);
    await threads.find(1, 1);
    await threads.list(1, { archived: false, programs: false, limit: 50, after: undefined });
    await threads.list(1, { archived: true, programs: undefined, limit: 50, after: undefined });
    await threads.list(1, { archived: false, programs: true, limit: 50, after: undefined });
    await threads.list(1, { archived: false, programs: false, limit: 50, after: undefined, filters });
    await idsFulfilling(db, 1, [1, 2], filters);
    await branchRepository(db).messages(1, branch);
    await branchRepository(db).words(1, branch);
    await branchRepository(db).wordsBefore(1, 1, 1);
    await messageFileRepository(db).of(1, [1, 2]);
    await messageFileRepository(db).unkept(1, [1, 2]);
    await generatedFileRepository(db).begin(1, 1, '2026-11-01T00:00:00.000Z');
    await generatedFileRepository(db).giveUp('2026-11-01T00:00:00.000Z', '');
    await toolCallRepository(db).shown(1, [1, 2]);
    await toolCallRepository(db).ofMessages(1, [1, 2]);
    await toolCallRepository(db).ofRuns(1, [1, 2]);
    await messageFileRepository(db).releaseThread(1, 1);
    await serverCallRepository(db).open(1, 1);
    await serverCallRepository(db).ofRun(1, 1);
    await serverCallRepository(db).approvals(1, 1);
    await usageRepository(db).ofSteps(1, [1, 2]);
    await runClaimRepository(db).expired('2026-11-01T00:00:00.000Z', 10);
    await runRepository(db).inProgress(1);
    await runClaimRepository(db).allActive();
  });
  expect(plans.length).toBeGreaterThanOrEqual(8);
  const lists = plans.filter((plan) => /threads USING INDEX threads_(of|in)_/.test(plan));
  expect(lists).toHaveLength(4);
  // Only the choice of one run per thread needs sorting.
  for (const list of lists) expect(list.match(/TEMP B-TREE/g)).toHaveLength(1);
  for (const plan of plans) {
    // Both partial indexes contain only active runs.
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

test('looks for siblings of the first message in the thread, not among all first messages', async () => {
  const { dataDir, remove } = await readyDatabase('sqlite');
  const database = openDatabase(undefined, dataDir);
  const plans = await plansOf(database.db, async (db) => {
    await siblingsOf(db, 1, 1, [], true);
    await siblingsOf(db, 1, 1, [1, 2], true);
  });
  expect(plans).toHaveLength(2);
  for (const plan of plans) expect(plan).toMatch(/messages USING INDEX \S+ \(thread_id=\?\)/);
  await database.close();
  await remove();
});

test('looks up search hits one by one, without scanning their threads', async () => {
  const { dataDir, remove } = await readyDatabase('sqlite');
  const database = openDatabase(undefined, dataDir);
  const { db } = database;
  const at = '2026-11-01T00:00:00.000Z';
  const user = { email: 'ada@example.com', role: 'Admin', status: 'Active', created_at: at } as const;
  const { id: userId } = await db.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
  const thread = { title: 'Plain', titleSource: 'chosen', assistantId: null, model: null, at } as const;
  for (let number = 0; number < 51; number++) {
    const { id: threadId } = await threadRepository(db).insert(userId, thread);
    const message = { threadId, parentId: null, depth: 0, position: 1, role: 'user', key: null, at } as const;
    const id = await messageRepository(db).insert(userId, { ...message, text: 'words' });
    await searchRepository(db).putMessage(userId, id ?? 0, 'words');
  }
  const search = { archived: undefined, programs: undefined, limit: 50, after: undefined };
  const plans = await plansOf(db, async (watched) => {
    expect(await findThreads(watched, userId, 'words', search)).toHaveLength(51);
    expect(await findThreads(watched, userId, 'words -more title:plain', { ...search, filters })).toEqual([]);
  });
  for (const plan of plans)
    expect(plan).not.toMatch(/(threads|messages) USING .*\(user_id=\?\)|SCAN (threads|messages)/);
  await database.close();
  await remove();
});
