import AxeBuilder from '@axe-core/playwright';
import { type BrowserContext, test as base, expect, type Locator, type Page } from '@playwright/test';
import { type Roster, startRoster } from './roster.ts';

export const password = 'correct horse battery';
/** A key that the simulator accepts. */
export const goodKey = `sk-${'simulated'.repeat(5)}`;

type Fixtures = {
  /** Fails the test at its end if a page reported an error or a violation of the content security policy. */
  quietConsole: undefined;
  /** A new user, signed in through the API. */
  signedIn: { email: string };
  /** The same with a stored key and one assistant. */
  withAssistant: { email: string; assistantId: number };
  /** An installation of the test's own without accounts; use its full URLs. */
  ownRoster: Roster;
  /** A page of another browser, where nobody is signed in. */
  elsewhere: Page;
};
type WorkerFixtures = { roster: Roster; administrator: { email: string } };

let people = 0;

/** Call before a server ends: a page may still load what it needs later, and a failure would count as an error. */
export async function leaveAllPages(context: BrowserContext) {
  for (const page of context.pages()) await page.goto('about:blank');
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  roster: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
    async ({}, use) => {
      await using roster = await startRoster();
      await use(roster);
    },
    { scope: 'worker' },
  ],
  // Registered first, so that the tests' users are no administrators, whatever their order.
  administrator: [
    async ({ roster }, use) => {
      const email = 'administrator@example.com';
      const answer = await fetch(`${roster.url}/api/register`, {
        method: 'POST',
        headers: { origin: roster.url, 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      expect(answer.status).toBe(201);
      await use({ email });
    },
    { scope: 'worker', auto: true },
  ],
  baseURL: async ({ roster }, use) => use(roster.url),
  quietConsole: [
    async ({ context }, use) => {
      const problems = watch(context);
      await use(undefined);
      // A call that a test holds back or inspects may still be running when the test is done.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      expect(problems, 'errors in the console').toEqual([]);
    },
    { auto: true },
  ],
  signedIn: async ({ page, roster }, use) => {
    const email = newEmail();
    const { status } = await request(page, roster, 'POST', '/api/register', { email, password });
    expect(status).toBe(201);
    await use({ email });
  },
  withAssistant: async ({ page, roster, signedIn }, use) => {
    await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
    const draft = { name: 'Tutor', model: 'gpt-4o', instructions: 'Explain with one example.' };
    const { body } = await request(page, roster, 'POST', '/api/assistants', draft);
    await use({ ...signedIn, assistantId: body.id });
  },
  ownRoster: async ({ context }, use) => {
    await using roster = await startRoster();
    await use(roster);
    await leaveAllPages(context);
  },
  elsewhere: async ({ browser, roster }, use) => {
    const context = await browser.newContext({ baseURL: roster.url });
    const problems = watch(context);
    await use(await context.newPage());
    await context.close();
    expect(problems, 'errors in the console of the other browser').toEqual([]);
  },
});

export { expect };

function watch(context: BrowserContext): string[] {
  const problems: string[] = [];
  context.on('weberror', (error) => problems.push(error.error().message));
  context.on('console', (message) => {
    // The browser itself reports every unsuccessful response; the tests say which of those they expect.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  return problems;
}

export function newEmail(): string {
  return `person-${process.pid}-${++people}@example.com`;
}

/** Waits until input goes to the application; earlier input has its own tests. */
export const untilUsable = (page: Page) =>
  page.waitForFunction(() => performance.getEntriesByName('usable').length > 0);

/**
 * Opens a page and waits for its last call of its own (the check for open training jobs, made when the browser is
 * idle), so that the next one is the test's.
 */
export async function openAtRest(page: Page, path: string) {
  const lastCall = page.waitForResponse('**/api/fine-tuning/jobs?open=true*');
  await page.goto(path);
  await lastCall;
  await expect(page.getByRole('main')).toBeVisible();
}

/** A call as the user who is signed in on the page. */
export async function request(page: Page, roster: Roster, method: string, path: string, data?: unknown) {
  // The server may close an idle connection just as the next call is written to it.
  const headers = { origin: roster.url, connection: 'close' };
  const response = await page.request.fetch(`${roster.url}${path}`, {
    method,
    headers: { ...headers, ...(data !== undefined && { 'content-type': 'application/json' }) },
    ...(data !== undefined && { data: JSON.stringify(data) }),
  });
  const text = await response.text();
  return { status: response.status(), body: text ? JSON.parse(text) : undefined };
}

/** The toasts, newest first. */
export const toasts = (page: Page) => page.getByRole('region', { name: /Notifications/ }).getByRole('listitem');

export async function expectToast(page: Page, title: string, description: string) {
  await expect(toasts(page).filter({ hasText: title }).filter({ hasText: description })).toBeVisible();
}

/**
 * Fails on axe's serious and critical findings. Elements that are fading in, or faded until their replacement has come,
 * do not have their final colors, so the page is checked once it is at rest; endless animations, such as spinners, are
 * not awaited.
 */
export async function expectAccessible(page: Page) {
  const faded = '[aria-busy="true"]:is(.opacity-60, :has(> .opacity-60))';
  await expect(page.locator(faded)).toHaveCount(0);
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ effect, playState }) =>
          playState !== 'running' || effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY,
      ),
  );
  // Loading axe takes half of a run, so a document keeps it.
  const isThere = await page.evaluate(() => 'axe' in window);
  // In the page itself: otherwise a separate page merges the results. Only violations are used.
  const axe = new AxeBuilder({ page, ...(isThere && { axeSource: ';' }) })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] });
  const { violations } = await axe.analyze();
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)).toEqual([]);
}

/** Every page opened from here on follows the device's theme, so that one page can be checked in both. */
export const followDevice = (page: Page) =>
  page.addInitScript(() => {
    // A frame of an opaque origin has no storage.
    if (window === window.top) localStorage.setItem('app-theme', 'system');
  });

/** For a page that follows the device. */
export async function expectAccessibleInBothThemes(page: Page) {
  await untilUsable(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await expectAccessible(page);
  }
}

/** Nothing scrolls sideways. */
export async function expectNoSidewaysScroll(page: Page) {
  await untilUsable(page);
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(overflow).toBeLessThanOrEqual(0);
}

/** Checks once, for a test that scrolls and checks again. */
export const isInViewport = (what: Locator) =>
  what.evaluateAll(
    ([element]) =>
      new Promise<boolean>((resolve) => {
        if (!element) return resolve(false);
        new IntersectionObserver(([entry], observer) => {
          observer.disconnect();
          resolve(entry?.isIntersecting ?? false);
        }).observe(element);
      }),
  );

/** Presses an element that may be moving, and keeps it pressed. */
export async function pressAndHold(page: Page, button: Locator) {
  await expect(async () => {
    await button.hover();
    await page.mouse.down();
    if (await button.evaluate((element) => element.matches(':active'))) return;
    // It has moved on between the two.
    await page.mouse.up();
    throw new Error('The pointer is beside the button');
  }).toPass();
}

/** Chooses in the picker of models that a field opens, by typing and Enter. */
export async function pickModel(field: Locator, name: string) {
  await field.click();
  const picker = field.page().getByRole('dialog', { name: 'Models', exact: true });
  await picker.getByRole('combobox').fill(name);
  await field.page().keyboard.press('Enter');
  await expect(picker).toBeHidden();
}
