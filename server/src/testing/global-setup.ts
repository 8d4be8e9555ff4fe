import type { TestProject } from 'vitest/node';
import { makeTemplates } from './databases.ts';
import { forManyDatabases, startPostgres } from './postgres.ts';
import { makePrograms } from './programs.ts';
import { serverTests } from './selection.ts';

export async function setup(project: TestProject) {
  const isOnPostgres = serverTests() !== 'quick';
  const starting = isOnPostgres ? startPostgres(forManyDatabases()) : undefined;
  const making = makePrograms();
  const { remove, ...templates } = await makeTemplates(starting?.then(({ url }) => url)).catch(async (error) => {
    // The run ends here; PostgreSQL would outlive it.
    await (await starting)?.stop();
    throw error;
  });
  const postgres = await starting;
  if (postgres) project.provide('postgresUrl', postgres.url);
  project.provide('templates', templates);
  project.provide('programs', await making);
  return async () => {
    await remove();
    await postgres?.stop();
  };
}
