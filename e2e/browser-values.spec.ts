import type { Page } from '@playwright/test';
import {
  expect,
  expectToast,
  goodKey,
  newEmail,
  openAtRest,
  password,
  request,
  type request as requestOf,
  test,
  untilUsable,
} from './fixtures.ts';

const secret = 'The merger with Bertram is to stay secret';
type Roster = Parameters<typeof requestOf>[1];

const composer = (page: Page) => page.locator('main textarea');
const kept = (page: Page) => page.evaluate(() => ({ ...localStorage }));

/** Another user with an account, a key and an assistant, created outside the browser. */
async function another(elsewhere: Page, roster: Roster) {
  const email = newEmail();
  await request(elsewhere, roster, 'POST', '/api/register', { email, password });
  await request(elsewhere, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
  await request(elsewhere, roster, 'POST', '/api/assistants', { name: 'Coach', model: 'gpt-4o' });
  return email;
}

/** Ada has typed something, collapsed the sidebar and chosen the light theme. */
async function leaveTraces(page: Page) {
  await page.goto('/chat');
  await composer(page).fill(secret);
  // The field exists before the code that stores its text.
  await expect.poll(async () => JSON.stringify(await kept(page))).toContain(secret);
  await page.evaluate(() => {
    localStorage.setItem('app-theme', 'light');
    localStorage.setItem('app-sidebar', 'collapsed');
  });
  // Idle: the page's own calls are answered before the session ends, so that the next call is what notices.
  await openAtRest(page, '/chat');
  await expect(composer(page)).toHaveValue(secret);
}

/** The next user finds an empty field and nothing of it in the browser; the theme is the browser's. */
async function expectNoTraces(page: Page, roster: Roster, email: string) {
  await request(page, roster, 'POST', '/api/login', { email, password });
  await page.goto('/chat');
  await untilUsable(page);
  await expect(composer(page)).toHaveValue('');
  await expect(page.getByText(secret)).toHaveCount(0);
  const values = await kept(page);
  expect(JSON.stringify(values)).not.toContain('merger');
  expect(values['app-sidebar']).toBeUndefined();
}

async function endSessions(page: Page, roster: Roster, { email }: { email: string }) {
  await request(page, roster, 'POST', '/api/login', { email, password });
  await request(page, roster, 'DELETE', '/api/user/sessions');
}

test.describe('removes one user’s typed text before the next one signs in', () => {
  test('after a logout', async ({ page, elsewhere, roster, withAssistant: _ }) => {
    const other = await another(elsewhere, roster);
    await leaveTraces(page);
    await page.getByRole('button', { name: 'Logout' }).click();
    await expect(page).toHaveURL(/\/auth/);
    expect(await kept(page)).toMatchObject({ 'app-theme': 'light' });
    expect(Object.keys(await kept(page)).filter((name) => !name.startsWith('app-theme'))).toEqual([]);
    await expectNoTraces(page, roster, other);
  });

  test('after the session was ended elsewhere, as the page notices', async ({
    page,
    elsewhere,
    roster,
    withAssistant,
  }) => {
    const other = await another(elsewhere, roster);
    await leaveTraces(page);
    await endSessions(elsewhere, roster, withAssistant);
    // The next call notices: the open window makes one by itself when it becomes visible.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await expectToast(page, 'Session ended', 'Please sign in again.');
    expect(JSON.stringify(await kept(page))).not.toContain('merger');
    await expectNoTraces(page, roster, other);
  });

  test('after the session ended while the page was closed', async ({ page, elsewhere, roster, withAssistant }) => {
    const other = await another(elsewhere, roster);
    await leaveTraces(page);
    await page.goto('about:blank');
    await endSessions(elsewhere, roster, withAssistant);
    await page.goto('/');
    await expect(page).toHaveURL(/\/auth/);
    expect(JSON.stringify(await kept(page))).not.toContain('merger');
    await expectNoTraces(page, roster, other);
  });

  test('when they sign in over it, in another tab too', async ({ page, elsewhere, roster, withAssistant: _ }) => {
    const other = await another(elsewhere, roster);
    await leaveTraces(page);
    const tab = await page.context().newPage();
    await expectNoTraces(tab, roster, other);
    await expect(composer(page)).toHaveValue('');
    await expect(page.getByText(other)).toHaveCount(1);
  });
});
