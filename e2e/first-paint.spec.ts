import type { BrowserContext, Locator, Page, Request } from '@playwright/test';
import { conversation, exchange, startThread } from './conversation.ts';
import { createDataTransfer, pasteInto } from './drop-and-paste.ts';
import { expect, followDevice, newEmail, password, request, test, toasts, untilUsable } from './fixtures.ts';

const scripts = '**/assets/*.js';

/** Holds files of the application back until the test releases them, like a slow connection. */
async function holdFiles(page: Page, pattern: string | RegExp) {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/**
 * Delays rendering of the application at `path` after everything is loaded, until the test renders it: events in that
 * very moment are hard to hit otherwise.
 */
async function holdDrawing(page: Page, path: string) {
  await page.addInitScript((address) => {
    if (location.pathname !== address) return;
    const { postMessage } = MessagePort.prototype;
    const held: (() => void)[] = [];
    MessagePort.prototype.postMessage = function (...message: unknown[]) {
      held.push(() => Reflect.apply(postMessage, this, message));
    };
    const draw = () => {
      MessagePort.prototype.postMessage = postMessage;
      for (const post of held) post();
      // A page that draws nothing may never become idle.
      return new Promise((resolve) => requestIdleCallback(() => resolve(null), { timeout: 2000 }));
    };
    Object.assign(globalThis, { isDrawingDue: () => held.length > 0, draw });
  }, path);
  return {
    untilDue: () => page.waitForFunction(() => Reflect.get(globalThis, 'isDrawingDue')()),
    draw: () => page.evaluate(() => Reflect.get(globalThis, 'draw')()),
  };
}

const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Moss grows in the shade.') };

/** The layout shifts of every page, from its start. */
const countShifts = (context: BrowserContext) =>
  context.addInitScript(() => {
    Object.assign(globalThis, { shifted: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if ('value' in entry)
          Object.assign(globalThis, { shifted: Number(Reflect.get(globalThis, 'shifted')) + Number(entry.value) });
    }).observe({ type: 'layout-shift', buffered: true });
  });
const shifts = (page: Page) => page.evaluate(() => Number(Reflect.get(globalThis, 'shifted')));

/** Two frames later: everything has been painted, and its shifts are counted. */
const painted = (page: Page) =>
  page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null)))),
  );

/** Counts running requests for scripts and calls; a held font does not count. */
function watchTraffic(page: Page) {
  const open = new Set<Request>();
  const seen: string[] = [];
  const isCounted = (request: Request) => ['script', 'fetch', 'xhr'].includes(request.resourceType());
  page.on('request', (request) => {
    if (!isCounted(request)) return;
    open.add(request);
    seen.push(request.url());
  });
  const ended = (request: Request) => open.delete(request);
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
  return {
    /** Waits until all responses have come and been rendered, and lead to no more requests. */
    async rest() {
      let before: number;
      do {
        before = seen.length;
        await expect.poll(() => open.size).toBe(0);
        await painted(page);
      } while (open.size > 0 || seen.length > before);
    },
  };
}

test.describe('before any script', () => {
  test('shows a user’s page with their name and in their colors', async ({ page, signedIn }) => {
    await page.addInitScript(() => {
      localStorage.setItem('app-colors', JSON.stringify({ scheme: 'light', colors: { '--background': '#fff0f0' } }));
    });
    const release = await holdFiles(page, scripts);
    await page.goto('/', { waitUntil: 'commit' });
    await expect(page.getByRole('heading', { name: `Welcome, ${signedIn.email}` })).toBeVisible();
    await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' })).toBeVisible();
    await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Users' })).toHaveCount(0);
    await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 240, 240)');
    expect(await page.title()).toBe(`Welcome, ${signedIn.email} · Roster`);
    release();
    await untilUsable(page);
  });

  test('shows a collapsed sidebar as an icon bar', async ({ page, signedIn: _ }) => {
    await page.goto('/');
    await page.getByRole('button', { name: 'Collapse sidebar' }).click();
    // A click on the shell takes effect, and is stored, once the application is loaded.
    await expect(page.getByRole('button', { name: 'Expand sidebar' })).toBeVisible();
    const release = await holdFiles(page, scripts);
    await page.goto('/files', { waitUntil: 'commit' });
    const sidebar = page.getByRole('complementary', { name: 'Sidebar' });
    await expect.poll(async () => (await sidebar.boundingBox())?.width).toBe(56);
    release();
    await untilUsable(page);
    expect((await sidebar.boundingBox())?.width).toBe(56);
    await sidebar.getByRole('button', { name: 'Expand sidebar' }).click();
    expect((await sidebar.boundingBox())?.width).toBe(240);
  });

  test('lets the device become light', async ({ page }) => {
    await followDevice(page);
    const release = await holdFiles(page, scripts);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto('/auth', { waitUntil: 'commit' });
    const shown = page.locator('html');
    await expect(shown).toHaveAttribute('data-theme', 'dark');
    await page.emulateMedia({ colorScheme: 'light' });
    release();
    await expect(shown).toHaveAttribute('data-theme', 'light');
  });

  test('shows a visitor of an inner page where to sign in, and leads back to it', async ({
    page,
    roster,
    signedIn,
  }) => {
    await page.context().clearCookies();
    const release = await holdFiles(page, scripts);
    await page.goto('/settings?tab=account', { waitUntil: 'commit' });
    await page.getByLabel('Email').fill(signedIn.email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    // Nothing of it is in the address, and only the application has sent anything.
    expect(page.url()).toBe(`${roster.url}/settings?tab=account`);
    release();
    await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
    await expect(page).toHaveURL('/settings?tab=account');
    await expect(toasts(page).filter({ hasText: 'Welcome back!' })).toBeVisible();
  });

  test('accepts a question and sends it', { tag: '@main' }, async ({ page, withAssistant: _ }) => {
    const release = await holdFiles(page, scripts);
    await page.goto('/chat', { waitUntil: 'commit' });
    const { message, questions, untilDone } = conversation(page);
    await message.fill('Plan my garden');
    await message.press('Enter');
    await expect(message).toHaveValue('Plan my garden');
    release();
    await expect(questions).toContainText('Plan my garden');
    await untilDone();
  });

  test('sends pasted and dropped files with the message', async ({ page, withAssistant: _ }) => {
    const release = await holdFiles(page, scripts);
    await page.goto('/chat', { waitUntil: 'commit' });
    const { message, questions, untilDone } = conversation(page);
    await pasteInto(page, 'Message', [notes]);
    const dataTransfer = await createDataTransfer(page, [{ ...notes, name: 'more.txt' }]);
    await page.getByRole('main').dispatchEvent('drop', { dataTransfer });
    await message.fill('What is in these?');
    await message.press('Enter');
    release();
    await untilDone();
    await expect(questions.getByRole('listitem')).toHaveText([/notes\.txt/, /more\.txt/]);
  });

  test('does not tear a word that an input method is composing', async ({ page, withAssistant: _ }) => {
    const { untilDue, draw } = await holdDrawing(page, '/chat');
    await page.goto('/chat', { waitUntil: 'commit' });
    await untilDue();
    const { message } = conversation(page);
    await message.focus();
    const keyboard = await page.context().newCDPSession(page);
    await keyboard.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await draw();
    await keyboard.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await keyboard.send('Input.insertText', { text: '日本' });
    await untilUsable(page);
    await expect(message).toHaveValue('日本');
    await expect(message).toBeFocused();
  });

  test('replays a press on a link or a button once the application has loaded', async ({ page, withAssistant: _ }) => {
    const { untilDue, draw } = await holdDrawing(page, '/files');
    const press = async (part: Locator) => {
      await page.goto('/files', { waitUntil: 'commit' });
      await untilDue();
      await part.hover();
      await page.mouse.down();
      await draw();
      await page.mouse.up();
    };
    await press(page.getByRole('link', { name: 'New Chat' }));
    await expect(conversation(page).message).toBeFocused();
    await press(page.getByRole('button', { name: 'Collapse sidebar' }));
    await expect(page.getByRole('button', { name: 'Expand sidebar' })).toBeVisible();
    await untilUsable(page);

    await page.goto('/files', { waitUntil: 'commit' });
    await untilDue();
    await page.getByRole('button', { name: /sidebar/ }).focus();
    await page.keyboard.down(' ');
    await draw();
    await page.keyboard.up(' ');
    await expect(page.getByRole('button', { name: 'Collapse sidebar' })).toBeVisible();
    await untilUsable(page);
  });

  test('accepts text in a form until the pressed tab has loaded, and moves it there', async ({ page }) => {
    const release = await holdFiles(page, scripts);
    await page.goto('/auth', { waitUntil: 'commit' });
    await page.getByRole('tab', { name: 'Register' }).click();
    await page.getByLabel('Email').fill('early@example.com');
    const releaseForm = await holdFiles(page, '**/assets/register-form-*.js');
    release();
    await untilUsable(page);
    // Also if it takes longer than a page may take before a fallback appears: that timer started earlier.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
    await page.getByLabel('Password', { exact: true }).pressSequentially('correct ');
    await expect(page.getByLabel('Confirm Password')).toHaveCount(0);
    releaseForm();
    await expect(page.getByLabel('Confirm Password')).toBeVisible();
    await page.keyboard.type('horse battery');
    await expect(page.getByLabel('Email')).toHaveValue('early@example.com');
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue(password);
  });

  test('keeps what the first visitor types, also in the form of an older page', async ({ page, ownRoster }) => {
    const typeAt = async (path: string) => {
      const release = await holdFiles(page, scripts);
      await page.goto(`${ownRoster.url}${path}`, { waitUntil: 'commit' });
      await page.getByLabel('Email').fill('early@example.com');
      await page.getByLabel('Password', { exact: true }).pressSequentially('correct ');
      return release;
    };
    const expectKept = async () => {
      await page.keyboard.type('horse battery');
      await expect(page.getByLabel('Confirm Password')).toBeVisible();
      await expect(page.getByLabel('Email')).toHaveValue('early@example.com');
      await expect(page.getByLabel('Password', { exact: true })).toHaveValue(password);
    };
    for (const path of ['/auth', '/']) {
      const release = await typeAt(path);
      await expect(page.getByText('The first account becomes the administrator.')).toBeVisible();
      release();
      await untilUsable(page);
      await expectKept();
      await page.unrouteAll({ behavior: 'wait' });
    }
    // Sent while there was an account, and opened after it was deleted.
    await page.route(`${ownRoster.url}/auth`, async (route) => {
      const sent = await route.fetch({ url: `${ownRoster.url}/auth?tab=login` });
      await route.fulfill({ response: sent });
    });
    const release = await typeAt('/auth');
    await expect(page.getByLabel('Confirm Password')).toHaveCount(0);
    release();
    await untilUsable(page);
    await expectKept();
  });

  test('shows the page of a login link, not the form of the sign-in page', async ({ page, roster }) => {
    const release = await holdFiles(page, scripts);
    await page.goto(`${roster.url}/login-link#token=abc`, { waitUntil: 'commit' });
    await expect(page.getByRole('heading', { name: /link/ })).toBeVisible();
    await expect(page.getByLabel('Password')).toHaveCount(0);
    release();
    await untilUsable(page);
  });

  test('selects a tab that is chosen with an arrow key', async ({ page }) => {
    const release = await holdFiles(page, scripts);
    await page.goto('/auth', { waitUntil: 'commit' });
    await page.getByRole('tab', { name: 'Login' }).press('ArrowLeft');
    await expect(page.getByRole('tab', { name: 'Register' })).toBeFocused();
    release();
    await expect(page.getByLabel('Confirm Password')).toBeVisible();
    await expect(page.getByRole('tab', { name: 'Register' })).toBeFocused();
  });

  test('takes over text, focus and selection', async ({ page, withAssistant: _ }) => {
    const release = await holdFiles(page, scripts);
    await page.goto('/chat', { waitUntil: 'commit' });
    const { message } = conversation(page);
    await message.pressSequentially('Plan my garden');
    await message.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(5, 7));
    release();
    await untilUsable(page);
    await page.keyboard.type('our');
    await expect(message).toHaveValue('Plan our garden');
  });
});

test.describe('before the lazy parts of the composer', () => {
  const laterParts = '**/assets/{composer-attachments,chat-later}-*.js';

  test('accepts pasted files, and makes the sent message wait for them', async ({ page, withAssistant: _ }) => {
    const release = await holdFiles(page, laterParts);
    await page.goto('/chat');
    await untilUsable(page);
    const { message, send, questions, untilDone } = conversation(page);
    await pasteInto(page, 'Message', [notes]);
    await message.fill('What is in it?');
    await message.press('Enter');
    await expect(send).toHaveAttribute('aria-busy', 'true');
    await expect(message).toHaveValue('What is in it?');
    await expect(questions).toHaveCount(0);
    release();
    await untilDone();
    await expect(questions.getByRole('listitem')).toHaveText([/notes\.txt/]);
  });

  test('still recognizes a pasted text that is too long', async ({ page, withAssistant: _ }) => {
    const release = await holdFiles(page, laterParts);
    await page.goto('/chat');
    await untilUsable(page);
    const { message } = conversation(page);
    const long = `Ferns. ${'x'.repeat(10_100)}`;
    await pasteInto(page, 'Message', [], long);
    await message.fill(`Sum this up: ${long}`);
    release();
    await page.getByRole('button', { name: 'Attach as a text file' }).click();
    await expect(message).toHaveValue('Sum this up:');
  });
});

test('opens the requested search when it can', async ({ page, signedIn: _ }) => {
  const release = await holdFiles(page, scripts);
  await page.goto('/', { waitUntil: 'commit' });
  await expect(page.getByRole('main')).toBeVisible();
  await page.keyboard.press('Control+k');
  release();
  await expect(page.getByRole('combobox', { name: /^Search pages/ })).toBeFocused();
});

test('sends keys typed after Ctrl+K to the search, and not to the page below', async ({ page, signedIn: _ }) => {
  const release = await holdFiles(page, scripts);
  await page.goto('/', { waitUntil: 'commit' });
  await expect(page.getByRole('main')).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('ga budgex');
  await page.keyboard.press('Backspace');
  release();
  await expect(page.getByRole('combobox', { name: /^Search pages/ })).toHaveValue('ga budge');
  await expect(page).toHaveURL('/');
});

test('sends on Enter in the field of Home as soon as the field exists', async ({ page, withAssistant: _ }) => {
  const release = await holdFiles(page, scripts);
  await page.goto('/', { waitUntil: 'commit' });
  const { message, questions } = conversation(page);
  await message.fill('Plan my garden');
  await message.press('Enter');
  await expect(message).toHaveValue('Plan my garden');
  release();
  await expect(page).toHaveURL(/\/chat\/\d+$/);
  await expect(questions).toContainText('Plan my garden');
});

test('caches no user’s page, which holds what it fetches, and names nobody on a visitor’s', async ({
  page,
  roster,
  signedIn,
}) => {
  const read = async (path: string) => {
    const answer = await page.request.get(`${roster.url}${path}`);
    return { headers: answer.headers(), text: await answer.text() };
  };
  const own = await read('/chat/12');
  expect(own.headers).toMatchObject({ 'cache-control': 'private, no-store', 'content-encoding': 'br' });
  expect(own.headers.vary).toBe('cookie, accept-encoding');
  for (const call of [
    '/api/user',
    '/api/threads/12',
    '/api/threads/12/messages',
    '/api/threads?limit=50&amp;archived=false',
  ])
    expect(own.text).toContain(`<link rel="preload" as="fetch" crossorigin href="${call}">`);
  expect(own.text).toContain(signedIn.email);
  expect(own.text).not.toMatch(/ style=|<script(?! type="module"| src="\/first.js")/);

  await page.context().clearCookies();
  const visitors = await read('/chat/12');
  expect(visitors.headers['cache-control']).toBe('no-cache');
  expect(visitors.text).not.toContain(signedIn.email);
  expect(visitors.text).toContain('Log in to Roster');
});

test('shows a name only as text in the page', async ({ page, roster, administrator }) => {
  await request(page, roster, 'POST', '/api/login', { email: administrator.email, password });
  const name = `<img src=x onerror=alert(1)>"'&amp; {{email}} $& Ada`;
  const user = { email: newEmail(), name, role: 'Editor', password };
  expect((await request(page, roster, 'POST', '/api/admin/users', user)).status).toBe(201);
  await page.context().clearCookies();
  await request(page, roster, 'POST', '/api/login', { email: user.email, password });
  const release = await holdFiles(page, scripts);
  await page.goto('/', { waitUntil: 'commit' });
  await expect(page.getByRole('heading', { name: `Welcome, ${name}` })).toBeVisible();
  expect(await page.title()).toBe(`Welcome, ${name} · Roster`);
  release();
  await untilUsable(page);
});

for (const { kind, viewport } of [
  { kind: 'a desk', viewport: { width: 1440, height: 900 } },
  { kind: 'a phone', viewport: { width: 390, height: 844 } },
])
  test.describe(`on ${kind}`, () => {
    test.use({ viewport });

    test('shifts nothing while the pages of a new account and of one in use load', async ({
      page,
      roster,
      signedIn: _,
    }) => {
      await countShifts(page.context());
      const traffic = watchTraffic(page);
      const shiftsOf = async (path: string) => {
        // First the page, then its scripts, then the responses to its calls, then the font.
        const release = await holdFiles(page, scripts);
        const releaseFont = await holdFiles(page, '**/assets/*.woff2');
        const releaseCalls = await holdFiles(page, /\/api\/(?!user$|sign-in-options$)/);
        const isInside = !path.startsWith('/auth');
        const lastCall = isInside ? page.waitForRequest('**/api/fine-tuning/jobs?open=true*') : undefined;
        await page.goto(path, { waitUntil: 'commit' });
        await expect(page.getByRole('main')).toBeVisible();
        release();
        await untilUsable(page);
        releaseCalls();
        await lastCall;
        await traffic.rest();
        releaseFont();
        await page.evaluate(async () => void (await document.fonts.ready));
        await painted(page);
        expect.soft(await shifts(page), path).toBeLessThanOrEqual(0.02);
        await page.unrouteAll({ behavior: 'wait' });
      };
      for (const path of ['/', '/chat', '/files', '/analytics', '/settings']) await shiftsOf(path);
      await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: `sk-${'simulated'.repeat(5)}` });
      const { body } = await request(page, roster, 'POST', '/api/assistants', { name: 'Tutor', model: 'gpt-4o' });
      const id = await startThread(page, roster, { title: 'The garden', assistantId: body.id });
      await exchange(page, roster, id, 'Plan my garden');
      for (const path of ['/', '/chat', `/chat/${id}`]) await shiftsOf(path);
      await page.context().clearCookies();
      for (const path of ['/auth', '/auth?tab=register']) await shiftsOf(path);
    });
  });

test('reloads a page whose scripts are gone, as after an upgrade', async ({ page, roster }) => {
  let asked = 0;
  await page.route(scripts, (route) => {
    asked++;
    return asked === 1 ? route.fulfill({ status: 404, body: '' }) : route.continue();
  });
  await page.goto(`${roster.url}/auth`);
  await untilUsable(page);
  expect(await page.evaluate(() => performance.getEntriesByType('navigation').map((one) => one.toJSON().type))).toEqual(
    ['reload'],
  );
});

test('reloads a page whose scripts stay unavailable only once', async ({ page, roster }) => {
  let pages = 0;
  page.on('request', (sent) => {
    if (sent.isNavigationRequest()) pages++;
  });
  await page.route(scripts, (route) => route.fulfill({ status: 404, body: '' }));
  await page.goto(`${roster.url}/auth`, { waitUntil: 'networkidle' });
  expect(pages).toBe(2);
});
