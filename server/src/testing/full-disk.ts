import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { vi } from 'vitest';

/**
 * The connections that are opened while `work` runs. SQLite's limits are per connection, so a test needs the server's
 * own.
 */
async function connectionsOf<T>(work: () => Promise<T>): Promise<[T, Set<DatabaseSync>]> {
  const opened = new Set<DatabaseSync>();
  const { exec } = DatabaseSync.prototype;
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    opened.add(this);
    return exec.call(this, sql);
  });
  try {
    return [await work(), opened];
  } finally {
    spy.mockRestore();
  }
}

/**
 * Starts an application on SQLite whose disk can be made full: no further page, by SQLite's own limit and with its own
 * error.
 */
export async function onDiskThatFills<T extends { dataDir: string }>(startApp: () => Promise<T>) {
  const [app, opened] = await connectionsOf(startApp);
  const [database] = [...opened].filter((one) => one.isOpen && one.location() === join(app.dataDir, 'roster.db'));
  if (!database) throw new Error('The application opened no SQLite file');
  const limit = (pages: number) => database.exec(`pragma max_page_count = ${pages}`);
  return {
    app,
    /** SQLite raises a limit below the current size to that size. */
    fill: () => limit(1),
    makeRoom: () => limit(1_000_000),
  };
}
