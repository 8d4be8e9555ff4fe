import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiDocument, apiSnippets, apiVariables, runSnippet } from '#server/testing/api-document';
import { engines, startApp, type TestApp } from '#server/testing/app';

describe.each(engines)('docs/user/api.md on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  test('has snippets, and names every call', () => {
    expect(apiSnippets.map(({ language }) => language)).toEqual(['sh', 'js', 'sh']);
    for (const { method, path } of app.apiEndpoints)
      expect(apiDocument).toContain(`${method} \`${path.replace('*', '{id}').replaceAll(/:(\w+)/g, '{$1}')}\``);
  });

  test('shows working JavaScript', async () => {
    const code = apiSnippets.find(({ language }) => language === 'js')?.code ?? '';
    const output = await runSnippet([process.execPath, '--input-type=module', '-e', code], await apiVariables(app));
    expect(output).toMatch(/\w{3}/);
    expect(output).not.toContain('"error"');
  });
});
