import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { type Engine, openDatabase } from '#server/db/connect';
import { migrate } from '#server/db/migrate';

/** Databases with current tables and no rows, created once per run and copied for each application. */
export type Templates = { sqliteFile: string; postgresName: string };

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    templates: Templates;
  }
}

const temporaryFolder = () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'roster-test-'));
  return { dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true }) };
};
const freshName = () => `test_${randomBytes(8).toString('hex')}`;

async function onServer(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

function databaseAt(maintenance: string, name: string): string {
  const url = new URL(maintenance);
  url.pathname = `/${name}`;
  return url.href;
}

async function migrated(url: string | undefined, dataDir: string) {
  const database = openDatabase(url, dataDir);
  await migrate(database);
  await database.close();
}

/** Before the first test of a run; PostgreSQL, if the run has one, may still be starting. */
export async function makeTemplates(
  maintenance: Promise<string> | undefined,
): Promise<Templates & { remove: () => Promise<void> }> {
  const folder = temporaryFolder();
  const postgresName = freshName();
  const onPostgres = maintenance?.then(async (url) => {
    await onServer(url, `create database ${postgresName}`);
    await migrated(databaseAt(url, postgresName), folder.dataDir);
  });
  await Promise.all([onPostgres, migrated(undefined, folder.dataDir)]);
  return {
    sqliteFile: join(folder.dataDir, 'roster.db'),
    postgresName,
    async remove() {
      if (maintenance) await onServer(await maintenance, `drop database ${postgresName} with (force)`);
      folder.remove();
    },
  };
}

async function newDatabase(engine: Engine, template: Templates | undefined) {
  const { dataDir, remove } = temporaryFolder();
  if (engine === 'sqlite') {
    if (template) copyFileSync(template.sqliteFile, join(dataDir, 'roster.db'));
    return { dataDir, url: undefined, remove: async () => remove() };
  }
  const maintenance = inject('postgresUrl');
  const name = freshName();
  // Copies files directly, which is half the work of a copy through the log.
  const from = template?.postgresName ?? 'template1';
  await onServer(maintenance, `create database ${name} template ${from} strategy file_copy`);
  return {
    dataDir,
    url: databaseAt(maintenance, name),
    async remove() {
      await onServer(maintenance, `drop database ${name} with (force)`);
      remove();
    },
  };
}

/** A separate empty database on the given engine, and a function to remove it. */
export const emptyDatabase = (engine: Engine) => newDatabase(engine, undefined);

/** The same with current tables. */
export const readyDatabase = (engine: Engine) => newDatabase(engine, inject('templates'));
