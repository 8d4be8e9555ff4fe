import type { TestProject } from 'vitest/node';
import { makeTemplates } from './databases.ts';
import { forManyDatabases, startPostgres } from './postgres.ts';

export async function setup(project: TestProject) {
  const starting = startPostgres(forManyDatabases());
  const { remove, ...templates } = await makeTemplates(starting.then(({ url }) => url));
  const postgres = await starting;
  project.provide('postgresUrl', postgres.url);
  project.provide('templates', templates);
  return async () => {
    await remove();
    await postgres.stop();
  };
}
