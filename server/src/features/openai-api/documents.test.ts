import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { created } from '#server/testing/assistants';

const document = readFileSync(new URL('../../../../docs/api.md', import.meta.url), 'utf8');
const snippets = [...document.matchAll(/^```(sh|js)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
  language,
  code,
}));
const run = promisify(execFile);

describe.each(engines)('docs/api.md on %s', (engine) => {
  let app: TestApp;
  let env: Record<string, string>;
  beforeAll(async () => {
    app = await startApp(engine);
    const ada = await app.withKey('ada');
    await created(ada, { name: 'Tutor' });
    const { token } = await newToken(ada, { rights: ['chat'] });
    env = { PATH: process.env.PATH ?? '', OPENAI_BASE_URL: `${app.url}/v1`, OPENAI_API_KEY: token };
  });
  afterAll(() => app.stop());

  test('has snippets, and names each call that there is', () => {
    expect(snippets.map(({ language }) => language)).toEqual(['sh', 'js', 'sh']);
    for (const { method, path } of app.apiEndpoints)
      expect(document).toContain(`${method} \`${path.replace('*', '{id}').replaceAll(/:(\w+)/g, '{$1}')}\``);
  });

  test.each(snippets)('shows what works: $language $code', async ({ language, code }) => {
    const cwd = fileURLToPath(new URL('.', import.meta.url));
    const [command, ...flags] = language === 'sh' ? ['bash', '-ec'] : [process.execPath, '--input-type=module', '-e'];
    const { stdout } = await run(command ?? '', [...flags, code], { cwd, env });
    expect(stdout).toMatch(/\w{3}/);
    expect(stdout).not.toContain('"error"');
  });
});
