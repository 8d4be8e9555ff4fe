import { expect, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { sessionRepository } from '#server/http/sessions/session-repository';
import { accessTokenRepository } from '#server/security/access-token-repository';
import { readyDatabase } from '#server/testing/app';
import { plansOf } from '#server/testing/query-plans';

test('looks up live sessions and tokens by their ids, not among all users', async () => {
  const { dataDir, remove } = await readyDatabase('sqlite');
  const database = openDatabase(undefined, dataDir);
  const plans = await plansOf(database.db, async (db) => {
    await sessionRepository(db).live(['a', 'b'], { created: '', active: '' });
    await accessTokenRepository(db).live([1, 2]);
  });
  expect(plans).toHaveLength(2);
  expect(plans[0]).toMatch(/^SEARCH sessions USING INDEX sqlite_autoindex_sessions_\d \(id=\?\)/);
  expect(plans[1]).toMatch(/^SEARCH access_tokens USING INTEGER PRIMARY KEY/);
  for (const plan of plans) expect(plan).toMatch(/SEARCH users USING INTEGER PRIMARY KEY/);
  await database.close();
  await remove();
});
