import type { TestProject } from 'vitest/node';
import { makeTemplates } from './databases.ts';
import { startPostgres } from './postgres.ts';

export async function setup(project: TestProject) {
  const postgres = await startPostgres();
  const { remove, ...templates } = await makeTemplates(postgres.url);
  project.provide('postgresUrl', postgres.url);
  project.provide('templates', templates);
  return async () => {
    await remove();
    await postgres.stop();
  };
}
