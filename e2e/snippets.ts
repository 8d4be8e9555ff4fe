import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { expect, request } from './fixtures.ts';
import type { Roster } from './roster.ts';

export const run = promisify(execFile);

const snippetCard = (page: Page) => page.getByRole('region', { name: 'Snippets' });

/** The code as the page shows it; the last block, after what to install. */
export async function snippet(page: Page, name: string): Promise<string> {
  await snippetCard(page).getByRole('tab', { name }).click();
  await expect(snippetCard(page).getByRole('tab', { name })).toHaveAttribute('aria-selected', 'true');
  return (await snippetCard(page).locator('pre code').last().textContent()) ?? '';
}

/** A shell with the variables that the page shows and a new token; resolves with the command's output. */
export async function shellFor(page: Page, roster: Roster) {
  const token = { name: 'Snippets', rights: ['chat'], expiresInDays: null };
  const made = await request(page, roster, 'POST', '/api/access-tokens', token);
  const region = page.getByRole('region', { name: 'Environment variables' });
  const lines = (await region.locator('pre code').textContent()) ?? '';
  expect(lines).toContain('OPENAI_API_KEY=rst_…');
  return async (command: string, ...more: string[]) => {
    const script = `${lines.replace('rst_…', made.body.token)}\n${command}`;
    const options = { cwd: join(import.meta.dirname, '..'), env: { PATH: process.env.PATH ?? '' } };
    return (await run('bash', ['-ec', script, 'snippet', ...more], options)).stdout;
  };
}
