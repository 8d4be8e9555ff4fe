import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import type { Roster } from './roster.ts';

/** The mails to an address that were kept for want of a mail server, the oldest first. */
export function keptMails({ dataDir }: Roster, to: string): string[] {
  const folder = join(dataDir, 'mail');
  return namesIn(folder)
    .filter((name) => name.endsWith('.eml'))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .filter((mail) => mail.includes(`To: ${to}`));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The link to a page in the newest of some mails, once there are `count` with such a link. */
export async function linkTo(path: string, mails: () => string[], count = 1): Promise<string> {
  const links = () => mails().flatMap((mail) => plain(mail).match(new RegExp(`http\\S*${path}\\?\\S+`)) ?? []);
  await expect.poll(() => links().length, { message: `mails with a link to ${path}` }).toBeGreaterThanOrEqual(count);
  return links().at(-1) ?? '';
}

/** Undoes the line breaks and signs of quoted-printable. */
const plain = (mail: string) =>
  mail
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number(`0x${code}`)));

/** The token of a mailed link is nowhere in the address bar. */
export async function expectNoToken(page: Page, path: string) {
  await expect(page).toHaveURL((url) => url.pathname === path && url.search === '');
}
