import type { Page } from '@playwright/test';
import { conversation } from './conversation.ts';
import { expect, expectToast, goodKey, openAtRest, password, request, test, toasts, untilUsable } from './fixtures.ts';

const mainMenu = (page: Page) => page.getByRole('navigation', { name: 'Main' });
const desk = (page: Page) => page.getByRole('complementary', { name: 'Sidebar' });

test.describe('home', () => {
  test('greets and leads to the pages', async ({ page, signedIn }) => {
    await page.goto('/');
    await expect(page.getByRole('heading', { name: `Welcome, ${signedIn.email}` })).toBeVisible();
    await expect(page.getByText('Your AI Assistant Dashboard')).toBeVisible();
    const main = page.getByRole('main');
    const cards = [
      ['Chat with AI', 'Interact with your personalized OpenAI assistant', '/chat'],
      ['Manage Files', 'Upload and organize files for your assistants', '/files'],
      ['Analytics', 'Track your API usage and costs', '/analytics'],
    ] as const;
    for (const [title, text, path] of cards) {
      const card = main.getByRole('link', { name: title });
      await expect(card).toContainText(text);
      await card.click();
      await expect(page).toHaveURL(path);
      await page.goBack();
    }
    await expect(main.getByRole('heading', { name: 'User Management' })).toBeVisible();
    await expect(main.getByText('Manage user access and permissions. For administrators.')).toBeVisible();
    await expect(main.getByRole('link', { name: 'User Management' })).toHaveCount(0);
  });

  test('leads administrators to the accounts', async ({ page, roster, administrator }) => {
    await request(page, roster, 'POST', '/api/login', { email: administrator.email, password });
    await page.goto('/');
    await page.getByRole('main').getByRole('link', { name: 'User Management' }).click();
    await expect(page).toHaveURL('/users');
    await expect(page.getByRole('heading', { name: 'Users' })).toBeVisible();
  });

  test('says what a new account still needs', async ({ page, signedIn }) => {
    await page.goto('/');
    await expect(page.getByRole('heading', { name: `Welcome, ${signedIn.email}` })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Before your first chat' })).toBeVisible();
    await page.getByRole('link', { name: 'Add API key' }).click();
    await expect(page).toHaveURL('/settings?tab=api-keys');
  });
});

test.describe('the sidebar', () => {
  test('has the pages in their order', async ({ page, signedIn }) => {
    await page.goto('/');
    await expect(page.getByText(signedIn.email).first()).toBeVisible();
    const links = mainMenu(page).getByRole('link');
    await expect(links).toHaveText(['Home', 'Chat', 'Files', 'Analytics', 'Fine-Tuning', 'Settings']);
    await expect(links.first()).toHaveAttribute('aria-current', 'page');
    const titles = ['Chat with AI', 'File Management', 'Analytics', 'Fine-Tuning', 'Settings'];
    for (const [index, title] of titles.entries()) {
      await links.nth(index + 1).click();
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
      await expect(links.nth(index + 1)).toHaveAttribute('aria-current', 'page');
    }
  });

  test('has Users before Settings for administrators', async ({ page, roster, administrator }) => {
    await request(page, roster, 'POST', '/api/login', { email: administrator.email, password });
    await page.goto('/');
    await expect(mainMenu(page).getByRole('link')).toHaveText([
      'Home',
      'Chat',
      'Files',
      'Analytics',
      'Fine-Tuning',
      'Users',
      'Settings',
    ]);
  });

  test('collapses to icons, stays so and expands again', async ({ page, signedIn }) => {
    await page.goto('/');
    const width = async () => (await desk(page).boundingBox())?.width ?? 0;
    await expect(desk(page).getByText(signedIn.email).first()).toBeVisible();
    await expect.poll(width).toBeGreaterThan(200);
    await page.getByRole('button', { name: 'Collapse sidebar' }).click();
    await expect.poll(width).toBeLessThan(80);
    await page.reload();
    await expect(mainMenu(page).getByRole('link', { name: 'Analytics' })).toBeVisible();
    expect(await width()).toBeLessThan(80);
    await mainMenu(page).getByRole('link', { name: 'Analytics' }).hover();
    await expect(page.getByRole('tooltip', { name: 'Analytics' })).toBeVisible();
    await page.getByRole('button', { name: 'Expand sidebar' }).click();
    await expect.poll(width).toBeGreaterThan(200);
  });

  test('is an overlay behind a floating button on a phone', async ({ page, signedIn }) => {
    await page.setViewportSize({ width: 767, height: 900 });
    await page.goto('/');
    await expect(page.getByRole('heading', { name: `Welcome, ${signedIn.email}` })).toBeVisible();
    await expect(mainMenu(page)).toBeHidden();
    const opener = page.getByRole('button', { name: 'Open sidebar' });
    const overlay = page.getByRole('dialog', { name: 'Sidebar' });
    await opener.click();
    await expect(overlay).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(overlay).toBeHidden();
    await expect(opener).toBeFocused();
    await opener.click();
    await overlay.getByRole('link', { name: 'Settings' }).click();
    await expect(page).toHaveURL('/settings');
    await expect(overlay).toBeHidden();
    await page.setViewportSize({ width: 768, height: 900 });
    await expect(mainMenu(page)).toBeVisible();
    await expect(opener).toBeHidden();
  });
});

test('the footer names the year and leads to the terms and policies', async ({ page, signedIn }) => {
  await page.goto('/settings');
  const footer = page.getByRole('contentinfo');
  await expect(page.getByText(signedIn.email).first()).toBeVisible();
  await expect(footer).toContainText(`© ${new Date().getFullYear()}`);
  await expect(footer.getByRole('link', { name: 'OpenAI Policies' })).toHaveAttribute(
    'href',
    /^https:\/\/openai\.com\//,
  );
  await footer.getByRole('link', { name: 'Privacy Policy' }).click();
  await expect(page).toHaveURL('/privacy');
  await page.goBack();
  await footer.getByRole('link', { name: 'Terms of Use' }).click();
  await expect(page).toHaveURL('/terms');
});

test.describe('the theme', () => {
  /** The themes that the page has had since it began, each with whether there was anything to see yet. */
  const recordThemes = () => {
    const seen: string[] = [];
    Object.assign(window, { themesSeen: seen });
    new MutationObserver(() => {
      const theme = document.documentElement?.dataset.theme;
      if (theme && !seen.at(-1)?.startsWith(theme))
        seen.push(`${theme} ${document.body ? 'after' : 'before'} the first paint`);
    }).observe(document, { subtree: true, childList: false, attributes: true, attributeFilter: ['data-theme'] });
  };
  const themesSeen = (page: Page) => page.evaluate(() => Reflect.get(window, 'themesSeen'));

  test('is dark until one is chosen, is kept, and never flashes', async ({ page, signedIn }) => {
    await page.addInitScript(recordThemes);
    await page.goto('/settings?tab=preferences');
    await expect(page.getByText(signedIn.email).first()).toBeVisible();
    expect(await themesSeen(page)).toEqual(['dark before the first paint']);
    await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked();

    await page.getByText('Light', { exact: true }).click();
    await expectToast(page, 'Theme Updated', 'Roster is now light.');
    await expect(page.getByRole('switch', { name: 'Dark Mode' })).not.toBeChecked();
    expect(await page.evaluate(() => localStorage.getItem('app-theme'))).toBe('light');
    await page.reload();
    await expect(page.getByRole('radio', { name: 'Light' })).toBeChecked();
    expect(await themesSeen(page)).toEqual(['light before the first paint']);
  });

  test('follows the device when that is chosen, at once', async ({ page, signedIn }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto('/settings?tab=preferences');
    await expect(page.getByText(signedIn.email).first()).toBeVisible();
    const shown = page.locator('html');
    await page.getByText('System', { exact: true }).click();
    await expect(shown).toHaveAttribute('data-theme', 'light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect(shown).toHaveAttribute('data-theme', 'dark');
    await page.getByRole('switch', { name: 'Dark Mode' }).click();
    await expectToast(page, 'Dark Mode Disabled', 'Roster is now light.');
    await page.getByRole('switch', { name: 'Dark Mode' }).click();
    await expectToast(page, 'Dark Mode Enabled', 'Roster is now dark.');
    await expect(shown).toHaveAttribute('data-theme', 'dark');
  });
});

test.describe('toasts', () => {
  test.beforeEach(async ({ page, signedIn }) => {
    await page.goto('/settings?tab=preferences');
    await expect(page.getByText(signedIn.email).first()).toBeVisible();
  });

  test('are at most five, the newest first, and can be dismissed', async ({ page }) => {
    for (const theme of ['System', 'Light', 'Dark', 'Light', 'Dark', 'System'])
      await page.getByText(theme, { exact: true }).click();
    await expect(toasts(page)).toHaveCount(5);
    const newest = toasts(page).filter({ hasText: 'Roster now follows your device.' });
    await expect(newest).toHaveCount(1);
    const fromTheTop = await toasts(page).evaluateAll((all) =>
      all
        .map((toast) => ({ top: toast.getBoundingClientRect().top, text: toast.textContent }))
        .sort((one, other) => one.top - other.top)
        .map(({ text }) => text),
    );
    expect(fromTheTop[0]).toContain('Roster now follows your device.');
    await newest.getByRole('button', { name: 'Dismiss' }).click();
    await expect(newest).toHaveCount(0);
  });

  test('go by themselves after five seconds', async ({ page }) => {
    await page.getByText('Light', { exact: true }).click();
    await expect(toasts(page)).toHaveCount(1);
    await expect(toasts(page)).toHaveCount(0);
  });

  test('are reached with F8, and go by themselves after that too', async ({ page }) => {
    await page.getByText('Light', { exact: true }).click();
    await expect(toasts(page)).toHaveCount(1);
    await page.keyboard.press('F8');
    await expect(page.getByRole('region', { name: /Notifications/ }).getByRole('list')).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect(toasts(page).getByRole('button', { name: 'Dismiss' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(toasts(page)).toHaveCount(0);
    await page.getByText('Dark', { exact: true }).click();
    await expect(toasts(page)).toHaveCount(1);
    await expect(toasts(page)).toHaveCount(0);
  });
});

test.describe('by keyboard', () => {
  test('the command palette goes to pages and switches the theme', async ({ page, withAssistant }) => {
    await page.goto('/');
    await expect(page.getByRole('heading', { name: `Welcome, ${withAssistant.email}` })).toBeVisible();
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    await page.keyboard.press('Control+k');
    await expect(palette.getByRole('combobox')).toBeFocused();
    await page.keyboard.type('analy');
    await expect(palette.getByRole('option')).toHaveText([/Analytics/]);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/analytics');
    await expect(palette).toBeHidden();

    await page.keyboard.press('Control+k');
    await page.keyboard.type('switch theme');
    await expect(palette.getByRole('option')).toHaveText(['Switch theme to Light', 'Switch theme to System']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');

    await page.keyboard.press('Control+k');
    await page.keyboard.type('tutor');
    await expect(palette.getByRole('option', { name: 'Tutor' })).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`/chat?assistant=${withAssistant.assistantId}`);
    await page.keyboard.press('Control+k');
    await expect(palette).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(palette).toBeHidden();
  });

  test('the command palette finds conversations by what was said', async ({ page, roster, withAssistant }) => {
    const { assistantId } = withAssistant;
    const { body } = await request(page, roster, 'POST', '/api/threads', { title: 'Harbour walk', assistantId });
    await page.goto('/');
    await expect(page.getByText('Your AI Assistant Dashboard')).toBeVisible();
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox', { name: /^Search pages/ })).toBeFocused();
    await page.keyboard.type('harbour');
    await expect(page.getByRole('option', { name: 'Harbour walk' })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`/chat/${body.id}`);
  });

  test('? lists the shortcuts, G and a letter goes to a page, but not while typing', async ({ page, signedIn }) => {
    await page.goto('/');
    await expect(page.getByText(signedIn.email).first()).toBeVisible();
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await page.keyboard.press('?');
    await expect(shortcuts.getByText('Search and commands')).toBeVisible();
    await expect(shortcuts.getByText('Edit the last question')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(shortcuts).toBeHidden();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await expect(page).toHaveURL('/chat');
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('');
    await page.keyboard.type('ga?[');
    await expect(message).toHaveValue('ga?[');
    await expect(page).toHaveURL('/chat');
    await expect(shortcuts).toBeHidden();
  });
});

test('an address that asks for what is not there shows what is usual', async ({ page, signedIn }) => {
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  await page.goto('/settings?tab=nonsense');
  await expect(page.getByText(signedIn.email).first()).toBeVisible();
  await expect(tab('Account')).toHaveAttribute('aria-selected', 'true');
  await page.goto('/settings?tab=assistants&view=nonsense&edit=nonsense');
  await expect(tab('Your Assistants')).toHaveAttribute('aria-selected', 'true');
  await page.goto('/analytics?range=12');
  await expect(page.getByRole('radio', { name: '30 days' })).toBeChecked();
});

test('a change of page is said, and the focus goes to its heading', async ({ page, signedIn }) => {
  // A link of the shell that stands before the scripts opens a page anew, where there is nothing to say.
  await openAtRest(page, '/');
  await expect(page.getByText(signedIn.email).first()).toBeVisible();
  const said = page.locator('[data-page-change]');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(said).toHaveText('');
  await expect(page.locator('body')).toBeFocused();
  await page.getByRole('link', { name: 'Files' }).first().press('Enter');
  await expect(page.getByRole('heading', { name: 'File Management', level: 1 })).toBeFocused();
  await expect(said).toHaveText('File Management');
  await expect(said).toHaveAttribute('aria-live', 'polite');

  // Nothing is missed where keys come faster than the page goes.
  await page.goto('/settings');
  await untilUsable(page);
  await page.getByRole('tab', { name: 'Account' }).focus();
  const names = await page.getByRole('tab').allTextContents();
  await page.evaluate(() => {
    const press = (key: string) =>
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    press('ArrowRight');
    press('ArrowRight');
  });
  await expect(page.getByRole('tab', { name: names[2] ?? '' })).toBeFocused();
  await expect(page.getByRole('tab', { name: names[2] ?? '' })).toHaveAttribute('aria-selected', 'true');

  // The ring is for the keyboard.
  const ring = (name: string | undefined) =>
    page.getByRole('tab', { name: name ?? '' }).evaluate((tab) => getComputedStyle(tab).outlineStyle);
  await page.getByRole('tab', { name: names[1] ?? '' }).click();
  await expect(page.getByRole('tab', { name: names[1] ?? '' })).toBeFocused();
  expect(await ring(names[1])).toBe('none');
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('tab', { name: names[0] ?? '' })).toBeFocused();
  expect(await ring(names[0])).toBe('solid');

  await page.goto('/chat/abc');
  await expect(page.getByRole('heading', { name: '404 - Page Not Found' })).toBeVisible();
  await expect(page.locator('main')).toHaveCount(1);
});

test.describe('home, for a returning user', () => {
  test('a question typed there is sent in a conversation of its own, which stands there afterwards', async ({
    page,
    roster,
    signedIn,
  }) => {
    await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
    await page.goto('/');
    await expect(page.getByRole('heading', { name: `Welcome, ${signedIn.email}` })).toBeVisible();
    const main = page.getByRole('main');
    await expect(main.getByRole('region', { name: 'Recent conversations' })).toHaveCount(0);
    await main.getByRole('textbox', { name: 'Message' }).fill('Which ships sail tonight?');
    // It is not lost on the way.
    await page.reload();
    await expect(main.getByRole('textbox', { name: 'Message' })).toHaveValue('Which ships sail tonight?');
    await main.getByRole('textbox', { name: 'Message' }).press('Enter');
    await expect(page).toHaveURL(/\/chat\/\d+$/);
    await expect(page.getByRole('article', { name: 'Question' })).toHaveText(/Which ships sail tonight\?/);
    await conversation(page).untilDone();
    await page.goto('/');
    await expect(main.getByRole('textbox', { name: 'Message' })).toHaveValue('');
    await expect(main.getByRole('region', { name: 'This month' })).toContainText('request');
    await main.getByRole('region', { name: 'Recent conversations' }).getByRole('link', { name: /ships/i }).click();
    await expect(page.getByRole('article', { name: 'Question' })).toHaveCount(1);
  });

  test('says what needs attention, and leads there', async ({ page, roster, signedIn }) => {
    await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
    const assistant = { name: 'Old timer', model: 'gpt-4o' };
    expect((await request(page, roster, 'POST', '/api/assistants', assistant)).status).toBe(201);
    await page.goto('/');
    await expect(page.getByRole('heading', { name: `Welcome, ${signedIn.email}` })).toBeVisible();
    const matter = page
      .getByRole('region', { name: 'Needs attention' })
      .getByRole('listitem')
      .filter({ hasText: 'Old timer' });
    await expect(matter).toContainText(/gpt-4o (shuts|was shut) down on January 14, 2027/);
    await matter.getByRole('link').click();
    await expect(page).toHaveURL(/\/settings\?tab=assistants/);
  });
});
