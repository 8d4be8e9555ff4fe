import { account, defaultPreferences, type Locale } from '@roster/contracts/account';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { browserLocale } from '#web/lib/browser-locale.ts';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';

const openWith = (saved: { [Name in keyof Locale]: Locale[Name] | null }) =>
  open('/settings?tab=preferences', {
    answers() {
      answer(account.preferences, { ...defaultPreferences, ...saved, theme: 'light' });
      answer(account.saveLocale, undefined);
    },
  });
const isLoaded = () => expect.element(page.getByRole('radio', { name: 'Light' })).toBeChecked();

test.each([
  { timeZone: null, language: null },
  { timeZone: 'Pacific/Chatham', language: navigator.language },
])('saves the time zone and language of the browser once, where %o is saved', async (saved) => {
  openWith(saved);
  await expect.poll(() => requestsTo(account.saveLocale)).toMatchObject([{ body: browserLocale() }]);
  await isLoaded();
  expect(requestsTo(account.saveLocale)).toHaveLength(1);
});

test('saves nothing if they are saved already', async () => {
  openWith(browserLocale());
  await expect.poll(() => requestsTo(account.preferences).length).toBeGreaterThan(0);
  await isLoaded();
  expect(requestsTo(account.saveLocale)).toEqual([]);
});

test('shows nothing if they cannot be saved', async () => {
  openWith({ timeZone: null, language: null });
  answer(account.saveLocale, refusal('unavailable', 'The database is being moved.'));
  await expect.poll(() => requestsTo(account.saveLocale).length).toBe(1);
  await isLoaded();
  expect(document.body.textContent).not.toContain('The database is being moved.');
});
