// Needs: bash, curl
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiSnippets, apiVariables, runSnippet } from '#server/testing/api-document';
import { engines, startApp, type TestApp } from '#server/testing/app';

describe.each(engines)('docs/user/api.md on %s', (engine) => {
  let app: TestApp;
  let env: Record<string, string>;
  beforeAll(async () => {
    app = await startApp(engine);
    env = await apiVariables(app);
  });
  afterAll(() => app.stop());

  test.each(apiSnippets.filter(({ language }) => language === 'sh'))(
    'shows curl that works: $code',
    async ({ code }) => {
      const output = await runSnippet(['bash', '-ec', code], env);
      expect(output).toMatch(/\w{3}/);
      expect(output).not.toContain('"error"');
    },
  );
});
