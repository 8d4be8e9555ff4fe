import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, request, test } from './fixtures.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const snippetCard = (page: Page) => page.getByRole('region', { name: 'Snippets' });

/** The code as the page shows it; the last block, after what is to be installed. */
async function shown(page: Page, name: string): Promise<string> {
  await snippetCard(page).getByRole('tab', { name }).click();
  await expect(snippetCard(page).getByRole('tab', { name })).toHaveAttribute('aria-selected', 'true');
  return (await snippetCard(page).locator('pre code').last().textContent()) ?? '';
}

test('an assistant leads to what a program needs, and the snippets run as they are shown', async ({
  page,
  roster,
  withAssistant,
}) => {
  await page.goto('/settings?tab=assistants');
  await page.getByRole('link', { name: 'Use Tutor from a program' }).click();
  await expect(page).toHaveURL(`${roster.url}/connect?assistant=${withAssistant.assistantId}`);
  await expect(page.getByRole('heading', { name: 'Connect', level: 1 })).toBeVisible();
  const model = await page.getByRole('textbox', { name: 'Model in your program' }).inputValue();
  expect(model).toMatch(/^asst_/);
  await expect(page.getByRole('textbox', { name: 'Base address' })).toHaveValue(`${roster.url}/v1`);
  await expect(page.getByText('Also by name: Tutor@roster')).toBeVisible();
  await expectAccessible(page);

  const made = await request(page, roster, 'POST', '/api/access-tokens', {
    name: 'Snippets',
    rights: ['chat'],
    expiresInDays: null,
  });
  const lines =
    (await page.getByRole('region', { name: 'Environment variables' }).locator('pre code').textContent()) ?? '';
  expect(lines).toContain('OPENAI_API_KEY=rst_…');
  const withVariables = (command: string) => `${lines.replace('rst_…', made.body.token)}\n${command}`;
  const inShell = (command: string, ...more: string[]) =>
    run('bash', ['-ec', withVariables(command), 'snippet', ...more], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '' },
    });

  const curl = await inShell(await shown(page, 'curl'));
  expect(JSON.parse(curl.stdout).choices[0].message.content).toMatch(/\w{3}/);
  for (const name of ['Node', 'LangChain']) {
    const { stdout } = await inShell(`"${process.execPath}" --input-type=module -e "$1"`, await shown(page, name));
    expect(stdout, name).toMatch(/\w{3}/);
  }
  // Where the package is not installed, at least that it is Python.
  const folder = await mkdtemp(join(tmpdir(), 'roster-snippet-'));
  try {
    await writeFile(join(folder, 'snippet.py'), await shown(page, 'Python'));
    const isInstalled = await run('python3', ['-c', 'import openai']).then(
      () => true,
      () => false,
    );
    if (isInstalled) expect((await inShell(`python3 "$1"`, join(folder, 'snippet.py'))).stdout).toMatch(/\w{3}/);
    else await run('python3', ['-m', 'py_compile', join(folder, 'snippet.py')]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a message is tried with a token that is in no list, and both sides of the call are shown', async ({
  page,
  withAssistant,
}) => {
  await page.goto(`/connect?assistant=${withAssistant.assistantId}`);
  const card = page.getByRole('region', { name: 'Try it' });
  await card.getByLabel('Message').fill('');
  await card.getByRole('button', { name: 'Send' }).click();
  await expect(card.getByText('Write a message')).toBeVisible();
  await card.getByLabel('Message').fill('Say hello.');
  await card.getByRole('button', { name: 'Send' }).click();
  await expect(card.getByRole('region', { name: 'Answer' })).toContainText('chat.completion');
  await expect(card.getByRole('region', { name: 'Answer' })).toContainText(/200 · \d+\.\d s/);
  await expect(card.getByRole('region', { name: 'Request' })).toContainText('Say hello.');
  expect(await page.content()).not.toMatch(/rst_[0-9A-Za-z]{38}/);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.goto('/settings?tab=api-keys');
  await expect(page.getByText('No program has access to your account.')).toBeVisible();
  await page.getByRole('link', { name: 'How to connect a program' }).click();
  await expect(page.getByRole('heading', { name: 'Connect', level: 1 })).toBeVisible();
});
