// Needs: bash, curl, python3
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';
import { run, shellFor, snippet } from './snippets.ts';

test('runs the curl and Python snippets as shown', async ({ page, roster, withAssistant }) => {
  await page.goto(`/connect?assistant=${withAssistant.assistantId}`);
  const inShell = await shellFor(page, roster);
  const answer = JSON.parse(await inShell(await snippet(page, 'curl')));
  expect(answer.choices[0].message.content).toMatch(/\w{3}/);
  // Without the package, checks at least that it is valid Python.
  const folder = await mkdtemp(join(tmpdir(), 'roster-snippet-'));
  try {
    const file = join(folder, 'snippet.py');
    await writeFile(file, await snippet(page, 'Python'));
    const isInstalled = await run('python3', ['-c', 'import openai']).then(
      () => true,
      () => false,
    );
    if (isInstalled) expect(await inShell(`python3 "$1"`, file)).toMatch(/\w{3}/);
    else await run('python3', ['-m', 'py_compile', file]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
