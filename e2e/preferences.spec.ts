import type { BrowserContext, Page } from '@playwright/test';
import { conversation, startThread } from './conversation.ts';
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectToast,
  password,
  request,
  test,
  toasts,
  untilUsable,
} from './fixtures.ts';
import type { Roster } from './roster.ts';

const part = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();
const colorField = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

async function openPreferences(page: Page, name = 'Appearance') {
  await page.goto('/settings?tab=preferences');
  await part(page, name);
}

async function fillColors(page: Page, colors: Record<string, string>) {
  for (const [name, color] of Object.entries(colors)) await colorField(page, name).fill(color);
}

async function save(page: Page) {
  await page.getByRole('button', { name: 'Save Preferences' }).click();
  await expect(toasts(page).filter({ hasText: 'Preferences Saved' }).first()).toBeVisible();
}

/** The painted background color of the page. */
const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

const paper = {
  'Background Color': '#fdf6e3',
  'Text Color': '#073642',
  'Primary Color': '#268bd2',
  'Accent Color': '#cb4b16',
  'Card Background': '#eee8d5',
};
const forest = {
  'Background Color': '#0b2a1a',
  'Text Color': '#e7f5ec',
  'Primary Color': '#a3e635',
  'Accent Color': '#fde047',
  'Card Background': '#123d27',
};

test('makes a saved theme the account’s, and keeps an unsaved choice in its browser', async ({
  page,
  elsewhere,
  roster,
  signedIn,
}) => {
  await openPreferences(page);
  await page.getByText('Light', { exact: true }).click();
  await expectToast(page, 'Theme Updated', 'Roster is now light.');
  await request(elsewhere, roster, 'POST', '/api/login', { email: signedIn.email, password });
  await elsewhere.goto('/');
  const shown = elsewhere.locator('html');
  await expect(elsewhere.getByText('Your AI Assistant Dashboard')).toBeVisible();
  await expect(shown).toHaveAttribute('data-theme', 'dark');

  await save(page);
  const saved = await request(page, roster, 'GET', '/api/settings/preferences');
  expect(saved.body).toMatchObject({ theme: 'light', notificationsEnabled: true, customColors: false });
  await elsewhere.reload();
  await expect(shown).toHaveAttribute('data-theme', 'light');
  expect(await elsewhere.evaluate(() => localStorage.getItem('app-theme'))).toBe('light');

  await openPreferences(elsewhere);
  await elsewhere.getByText('Dark', { exact: true }).click();
  // The account's response has come and has not replaced the choice.
  const elsewhereSaved = elsewhere.waitForResponse('**/api/settings/preferences');
  await elsewhere.goto('/');
  await (await elsewhereSaved).finished();
  await expect(elsewhere.getByText('Your AI Assistant Dashboard')).toBeVisible();
  await expect(shown).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.getByRole('radio', { name: 'Light' })).toBeChecked();
});

test('previews, saves and removes custom colors, which apply before first paint everywhere', async ({
  page,
  elsewhere,
  roster,
  signedIn,
}) => {
  await openPreferences(page, 'Advanced');
  const original = await background(page);
  const customColors = page.getByRole('switch', { name: 'Custom Colors' });
  await expect(customColors).not.toBeChecked();
  await expect(colorField(page, 'Background Color')).toBeHidden();
  await customColors.click();
  const defaults = {
    'Background Color': '#000000',
    'Text Color': '#ffffff',
    'Primary Color': '#3b82f6',
    'Accent Color': '#f97316',
    'Card Background': '#1e1e1e',
  };
  for (const [name, color] of Object.entries(defaults)) {
    await expect(colorField(page, name)).toHaveAttribute('placeholder', color);
    await expect(colorField(page, name)).toHaveValue(color);
  }

  // Poor contrast is reported with its ratio; an invalid color is rejected at its field.
  await fillColors(page, { ...paper, 'Text Color': '#93a1a1' });
  await expect(page.getByText('Text on the background: contrast 2.47:1, should be at least 4.5:1')).toBeVisible();
  await fillColors(page, paper);
  await expect(page.getByText('should be at least 4.5:1')).toHaveCount(0);
  await colorField(page, 'Accent Color').fill('orange');
  await page.getByRole('button', { name: 'Preview Colors' }).click();
  await expect(page.getByText('Enter a color as # and six hexadecimal digits, such as #f97316')).toBeVisible();
  await expect(colorField(page, 'Accent Color')).toBeFocused();
  expect(await background(page)).toBe(original);
  await page.getByLabel('Accent Color picker').fill(paper['Accent Color']);
  await expect(colorField(page, 'Accent Color')).toHaveValue(paper['Accent Color']);

  // A preview cannot be edited, and leaving asks first.
  await page.getByRole('button', { name: 'Preview Colors' }).click();
  await expectToast(page, 'Colors Applied', 'This is a preview. Choose Save Preferences to keep the colors.');
  await expect.poll(() => background(page)).toBe('rgb(253, 246, 227)');
  await page.getByRole('tab', { name: 'Sessions' }).click();
  const question = page.getByRole('alertdialog', { name: 'Discard unsaved changes?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await expect(colorField(page, 'Background Color')).toHaveValue(paper['Background Color']);
  await page.getByRole('tab', { name: 'Sessions' }).click();
  await question.getByRole('button', { name: 'Discard changes' }).click();
  await expect(page).toHaveURL('/settings?tab=sessions');
  expect(await background(page)).toBe(original);

  await openPreferences(page, 'Advanced');
  await customColors.click();
  await fillColors(page, paper);
  await page.getByRole('button', { name: 'Reset to Theme Defaults' }).click();
  await expect(toasts(page).filter({ hasText: 'Colors Reset' })).toBeVisible();
  await expect(colorField(page, 'Background Color')).toHaveValue('#000000');
  await fillColors(page, paper);
  await save(page);
  await expect.poll(() => background(page)).toBe('rgb(253, 246, 227)');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');

  // The colors apply before anything is painted, when the body starts.
  await page.addInitScript(() => {
    new MutationObserver((_changes, observer) => {
      if (!document.body) return;
      observer.disconnect();
      Object.assign(window, { atFirst: document.documentElement.style.getPropertyValue('--background') });
    }).observe(document, { subtree: true, childList: true });
  });
  await page.goto('/chat');
  await expect(page.getByRole('heading', { name: 'Chat with AI' })).toBeVisible();
  expect(await page.evaluate(() => Reflect.get(window, 'atFirst'))).toBe('#fdf6e3');
  await request(elsewhere, roster, 'POST', '/api/login', { email: signedIn.email, password });
  await elsewhere.goto('/');
  await expect.poll(() => background(elsewhere)).toBe('rgb(253, 246, 227)');

  // Only the theme remains in a browser that signs out.
  await elsewhere.getByRole('button', { name: 'Logout' }).click();
  await expect(elsewhere).toHaveURL('/auth');
  await expect.poll(() => background(elsewhere)).toBe(original);
  expect(await elsewhere.evaluate(() => localStorage.getItem('app-colors'))).toBeNull();

  await openPreferences(page, 'Advanced');
  await customColors.click();
  await expect.poll(() => background(page)).toBe(original);
  await save(page);
  const saved = await request(page, roster, 'GET', '/api/settings/preferences');
  expect(saved.body).toMatchObject({ customColors: false, backgroundColor: null, cardColor: null });
  await page.reload();
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked();
  expect(await background(page)).toBe(original);
});

test('says why a save failed and keeps the changes; does not mention a failed load', async ({ page, signedIn: _ }) => {
  const path = '**/api/settings/preferences';
  const down = { status: 503, json: { code: 'unavailable', message: 'The database is being moved.' } };
  await page.route(path, (route) => route.fulfill(down));
  await openPreferences(page, 'Notifications');
  await untilUsable(page);
  const sound = page.getByRole('switch', { name: 'Sound Effects' });
  await expect(sound).toBeChecked();
  await sound.click();
  await page.getByRole('button', { name: 'Save Preferences' }).click();
  await expectToast(page, 'Failed to Save Preferences', 'The database is being moved.');
  await page.unroute(path);
  await page.route(path, (route) => route.fulfill({ status: 500, body: '' }));
  await page.getByRole('button', { name: 'Save Preferences' }).click();
  await expectToast(page, 'Failed to Save Preferences', 'An error occurred while saving your preferences.');
  await page.unroute(path);
  await expect(sound).not.toBeChecked();

  const held = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Save Preferences' }).click();
  await expect(page.getByRole('button', { name: 'Saving...' })).toBeVisible();
  held.resolve();
  await expect(toasts(page).filter({ hasText: 'Preferences Saved' })).toBeVisible();
  await page.unroute(path);
  await openPreferences(page, 'Notifications');
  await expect(sound).not.toBeChecked();
});

/** A browser with the given notification permission that records what is shown and played. */
async function recordNotices(context: BrowserContext, permission: NotificationPermission) {
  await context.addInitScript((given) => {
    const shown: object[] = [];
    const played: number[] = [];
    let state = sessionStorage.getItem('permission') ?? given;
    class RecordedNotification {
      static get permission() {
        return state;
      }
      static async requestPermission() {
        state = 'granted';
        sessionStorage.setItem('permission', state);
        return state;
      }
      onclick: (() => void) | undefined;
      constructor(title: string, options: { body: string }) {
        shown.push({ title, body: options.body, click: () => this.onclick?.() });
      }
      close() {
        return undefined;
      }
    }
    const RealOscillator = OscillatorNode;
    class RecordedOscillator extends RealOscillator {
      constructor(audio: BaseAudioContext, options: OscillatorOptions) {
        super(audio, options);
        played.push(options.frequency ?? 0);
      }
    }
    Object.assign(window, {
      Notification: RecordedNotification,
      OscillatorNode: RecordedOscillator,
      shown,
      played,
      isHidden: false,
    });
    Object.defineProperty(document, 'visibilityState', {
      get: () => (Reflect.get(window, 'isHidden') ? 'hidden' : 'visible'),
    });
  }, permission);
}

const recorded = (page: Page) =>
  page.evaluate(() => ({
    shown: Reflect.get(window, 'shown').map(({ title, body }: { title: string; body: string }) => `${title}: ${body}`),
    tones: Reflect.get(window, 'played').length,
  }));
const hide = (page: Page, isHidden: boolean) =>
  page.evaluate((hidden) => Object.assign(window, { isHidden: hidden }) && undefined, isHidden);

/** The open conversation Garden, in a browser that may show notifications. */
async function openGarden(page: Page, roster: Roster, assistantId: number) {
  await recordNotices(page.context(), 'granted');
  const id = await startThread(page, roster, { title: 'Garden', assistantId });
  await page.goto(`/chat/${id}`);
  return id;
}

test('notifies with sound about an answer that finishes unseen, and leads to it', async ({
  page,
  roster,
  withAssistant,
}) => {
  const id = await openGarden(page, roster, withAssistant.assistantId);
  const { ask, untilDone } = conversation(page);

  await ask('Seen [[bench 20]] [[delay 10]]');
  await untilDone();
  expect(await recorded(page)).toEqual({ shown: [], tones: 0 });

  await ask('Unseen [[bench 40]] [[delay 20]]');
  await hide(page, true);
  await expect.poll(() => recorded(page)).toEqual({ shown: ['Garden: The answer is complete.'], tones: 2 });
  await hide(page, false);
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await expect(page).toHaveURL('/');
  await page.evaluate(() => Reflect.get(window, 'shown')[0].click());
  await expect(page).toHaveURL(`/chat/${id}`);

  // Another conversation, because the same one is not announced twice within a moment.
  const failing = await startThread(page, roster, { title: 'Failing', assistantId: withAssistant.assistantId });
  await page.goto(`/chat/${failing}`);
  await hide(page, true);
  await ask('Unseen failure [[quota]]');
  await expect.poll(async () => (await recorded(page)).shown).toEqual([expect.stringMatching(/^Failing: The answer/)]);
  await hide(page, false);

  await page.goto('/settings?tab=preferences');
  await part(page, 'Notifications');
  await page.getByRole('switch', { name: 'Enable Notifications' }).click();
  await page.getByRole('switch', { name: 'Sound Effects' }).click();
  await save(page);
  const quiet = await startThread(page, roster, { title: 'Quiet', assistantId: withAssistant.assistantId });
  await page.goto(`/chat/${quiet}`);
  await hide(page, true);
  await ask('Unseen and quiet [[bench 20]] [[delay 10]]');
  // The lock that keeps other tabs from announcing it too is held meanwhile, and released afterwards.
  const locks = () => page.evaluate(async () => (await navigator.locks.query()).held?.length);
  await expect.poll(locks).toBe(1);
  await expect.poll(locks).toBe(0);
  await hide(page, false);
  expect(await recorded(page)).toEqual({ shown: [], tones: 0 });
});

test('notifies about an answer whose end is read before its stream reports it', async ({
  page,
  roster,
  withAssistant,
}) => {
  const id = await openGarden(page, roster, withAssistant.assistantId);
  // The stream never starts, and the reload after sending finds the answer ended.
  await page.route('**/api/runs/*/events*', () => undefined);
  const runId = async () => (await request(page, roster, 'GET', `/api/threads/${id}`)).body.runId;
  await page.route(`**/api/threads/${id}/messages`, async (route) => {
    if (route.request().method() === 'GET') await expect.poll(runId).toBeNull();
    await route.continue();
  });
  await hide(page, true);
  await conversation(page).ask('Unseen [[bench 40]] [[delay 20]]');
  await expect.poll(() => recorded(page)).toEqual({ shown: ['Garden: The answer is complete.'], tones: 2 });
});

test('asks for permission on a press only, and reports what a browser denies', async ({
  page,
  context,
  browser,
  roster,
  signedIn,
}) => {
  await recordNotices(context, 'default');
  await openPreferences(page, 'Notifications');
  await page.getByRole('button', { name: 'Allow in this browser' }).click();
  await expect(page.getByText('This browser shows notifications from Roster.')).toBeVisible();

  const refusing = await browser.newContext({ baseURL: roster.url });
  await recordNotices(refusing, 'denied');
  const other = await refusing.newPage();
  await request(other, roster, 'POST', '/api/login', { email: signedIn.email, password });
  await openPreferences(other, 'Notifications');
  await expect(other.getByText('This browser blocks notifications from Roster')).toBeVisible();
  await other.getByRole('switch', { name: 'Enable Notifications' }).click();
  await expect(other.getByText('This browser blocks notifications from Roster')).toBeHidden();
  await refusing.close();
});

for (const [name, colors] of [
  ['light', paper],
  ['dark', forest],
] as const)
  test(`keeps everything readable in a custom ${name} palette, and fits it on a phone`, async ({
    page,
    roster,
    withAssistant,
  }) => {
    await request(page, roster, 'POST', '/api/settings/preferences', {
      theme: name === 'light' ? 'dark' : 'light',
      notificationsEnabled: true,
      soundEnabled: true,
      customColors: true,
      backgroundColor: colors['Background Color'],
      foregroundColor: colors['Text Color'],
      primaryColor: colors['Primary Color'],
      accentColor: colors['Accent Color'],
      cardColor: colors['Card Background'],
    });
    await page.goto('/');
    await expect(page.locator('html')).toHaveAttribute('data-colors', 'custom');
    await expectAccessible(page);
    await page.goto(`/settings?tab=assistants&edit=${withAssistant.assistantId}`);
    await expect(page.getByRole('dialog', { name: 'Edit Assistant' })).toBeVisible();
    await expectAccessible(page);
    for (const tab of ['Appearance', 'Notifications', 'Advanced']) {
      await openPreferences(page, tab);
      await expect(page.getByText('Loading preferences')).toHaveCount(0);
      await expectAccessible(page);
      await page.setViewportSize({ width: 320, height: 640 });
      await expectNoSidewaysScroll(page);
      await page.setViewportSize({ width: 1440, height: 900 });
    }
  });

test('makes the defaults of the light theme light, and the page that edits them', async ({ page, signedIn: _ }) => {
  await openPreferences(page, 'Appearance');
  await page.getByRole('radio', { name: 'Light' }).click();
  const original = await background(page);
  await page.getByRole('tab', { name: 'Advanced' }).click();
  await page.getByRole('switch', { name: 'Custom Colors' }).click();
  await expect(colorField(page, 'Background Color')).toHaveValue('#fafafa');
  await fillColors(page, { ...paper });
  await page.getByRole('button', { name: 'Reset to Theme Defaults' }).click();
  await expect(colorField(page, 'Background Color')).toHaveValue('#fafafa');
  await expect(colorField(page, 'Text Color')).toHaveValue('#18181b');
  await save(page);
  await page.reload();
  expect(await background(page)).toBe(original);
});
