import { expect, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { readyDatabase } from '#server/testing/app';
import { plansOf } from '#server/testing/query-plans';
import { projectRepository } from './shared/repository.ts';

test('reads the conversations of a project in order, and counts them by its index', async () => {
  const { dataDir, remove } = await readyDatabase('sqlite');
  const database = openDatabase(undefined, dataDir);
  const [page = '', list = ''] = await plansOf(database.db, async (db) => {
    await projectRepository(db).threads(1, 1, 50, { updatedAt: '2026-11-01T00:00:00.000Z', id: 1 });
    await projectRepository(db).list(1);
  });
  expect(page).toContain('threads USING INDEX threads_project (project_id=?');
  expect(page).not.toContain('TEMP B-TREE');
  expect(list).toMatch(/threads USING (COVERING )?INDEX threads_project \(project_id=\?\)/);
  await database.close();
  await remove();
});
