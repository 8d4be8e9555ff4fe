import type { Page } from '@playwright/test';
import { storedMailTo as keptMail, linkIn, storedMails } from '../server/src/testing/mail.ts';
import { expect } from './fixtures.ts';
import type { Roster } from './roster.ts';

/** The link to set a password in the `count`-th mail about an account, stored without a mail server. */
export async function storedPasswordLink(roster: Roster, email: string, count = 1): Promise<string> {
  const mails = async () =>
    (await storedMails(roster)).filter(({ text }) => text.includes(`${email}.`) && text.includes('/reset-password?'));
  await expect.poll(async () => (await mails()).length, { message: 'kept mails with a link' }).toBe(count);
  const newest = (await mails()).at(-1);
  return linkIn(newest ?? { text: '' }, '/reset-password').href;
}

export { keptMail };

/** The link that confirms a new address of an account. */
export async function storedAddressLink(roster: Roster, email: string): Promise<string> {
  return linkIn(await keptMail(roster, email, 'Confirm the new address of your Roster account'), '/confirm-email').href;
}

/** The token of a mailed link is not in the address bar. */
export const expectBareAddress = (page: Page, path: string) =>
  expect(page).toHaveURL((url) => url.pathname === path && url.search === '');
