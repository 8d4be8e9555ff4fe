import type { TestProject } from 'vitest/node';
import { makeTemplates } from './databases.ts';
import { forManyDatabases, startPostgres } from './postgres.ts';
import { makePrograms } from './programs.ts';

export async function setup(project: TestProject) {
  const starting = startPostgres(forManyDatabases());
  const making = makePrograms();
  const { remove, ...templates } = await makeTemplates(starting.then(({ url }) => url));
  const postgres = await starting;
  project.provide('postgresUrl', postgres.url);
  project.provide('templates', templates);
  project.provide('programs', await making);
  return async () => {
    await remove();
    await postgres.stop();
  };
}
