import { join } from 'node:path';
import type { Role, UserStatus } from '@roster/contracts/auth';
import { Kysely } from 'kysely';
import { connect } from '../db/connect.ts';
import type { Database } from '../db/schema.ts';
import { openSqlite, sqliteDialect } from '../db/sqlite.ts';

/** A second connection to the database of a running app, beside the lock that keeps a second Roster away. */
export async function beside<T>(
  app: { dataDir: string; databaseUrl: string | undefined },
  work: (db: Kysely<Database>) => Promise<T>,
): Promise<T> {
  const db = app.databaseUrl
    ? connect(app.databaseUrl, app.dataDir).db
    : new Kysely<Database>({ dialect: sqliteDialect(openSqlite(join(app.dataDir, 'roster.db'))) });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** Changes a person as an administrator or operator would. */
export async function setUser(
  app: { dataDir: string; databaseUrl: string | undefined },
  email: string,
  change: { role: Role } | { status: UserStatus },
) {
  await beside(app, (db) => db.updateTable('users').set(change).where('email', '=', email).execute());
}
