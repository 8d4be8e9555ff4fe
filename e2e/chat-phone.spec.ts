import { conversation, startThread } from './conversation.ts';
import { expect, expectAccessible, expectNoSidewaysScroll, openAtRest, test } from './fixtures.ts';

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('shows menu, title and one action in a line, and the assistant in the next', async ({
    page,
    roster,
    withAssistant,
  }) => {
    const title = `Where the boats lie ${'and the ropes '.repeat(8)}`.trim();
    const id = await startThread(page, roster, { title, assistantId: withAssistant.assistantId });
    await page.goto(`/chat/${id}`);
    const middle = async (name: string, role: 'button' | 'heading') => {
      const box = await page.getByRole(role, { name }).boundingBox();
      return { y: (box?.y ?? 0) + (box?.height ?? 0) / 2, height: box?.height ?? 0 };
    };
    await expect(page.getByRole('button', { name: 'Assistant: Tutor' })).toBeVisible();
    const heading = await middle(title, 'heading');
    expect(heading.height).toBeLessThan(30);
    for (const action of ['Open sidebar', 'Conversation actions'])
      expect(Math.abs((await middle(action, 'button')).y - heading.y)).toBeLessThan(2);
    expect((await middle('Assistant: Tutor', 'button')).y).toBeGreaterThan(heading.y + 30);
    await expect(page.getByRole('contentinfo')).toBeHidden();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Open sidebar' }).tap();
    await page.getByRole('dialog', { name: 'Sidebar' }).getByRole('link', { name: 'Files' }).tap();
    // Another page has the same bar.
    const menu = page.getByRole('button', { name: 'Open sidebar' });
    await expect(page.getByRole('banner').getByText('Files')).toBeVisible();
    await expect(menu).toBeVisible();
    await page.getByRole('banner').getByRole('link', { name: 'New Chat' }).tap();
    await expect(conversation(page).message).toBeVisible();
  });

  test('never covers the composer with the keyboard, even if it overlays the page', async ({
    page,
    roster,
    withAssistant,
  }) => {
    const id = await startThread(page, roster, { assistantId: withAssistant.assistantId });
    await page.goto(`/chat/${id}`);
    const { message } = conversation(page);
    const bottom = async () => {
      const box = await message.boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0);
    };
    await expect.poll(bottom).toBeGreaterThan(780);
    const seen = (height: number) =>
      page.evaluate((value) => {
        const viewport = window.visualViewport;
        if (!viewport) throw new Error('No visual viewport');
        Object.defineProperty(viewport, 'height', { value, configurable: true });
        viewport.dispatchEvent(new Event('resize'));
      }, height);
    await seen(500);
    await expect.poll(bottom).toBeLessThan(500);
    await seen(844);
    await expect.poll(bottom).toBeGreaterThan(780);
  });
});

test('opens a new chat with one click or key on every page', async ({ page, withAssistant: _ }) => {
  const { message } = conversation(page);
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' });
  for (const path of ['/', '/files', '/settings']) {
    await page.goto(path);
    await sidebar.getByRole('link', { name: 'New Chat' }).click();
    await expect(message).toBeFocused();
  }
  await message.fill('Half a thought');
  // Also from the focused field, and if a new chat is already open.
  await page.keyboard.press('Alt+n');
  await expect(message).toHaveValue('Half a thought');
  await expect(message).toBeFocused();
  await openAtRest(page, '/analytics');
  await page.keyboard.press('Alt+n');
  await expect(message).toBeFocused();
  await openAtRest(page, '/files');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('New chatAltN');
});

test('collapses the list of assistants, and remembers it per user', async ({ page, withAssistant: _ }) => {
  await page.goto('/chat');
  const toggle = page.getByRole('button', { name: 'Your Assistants' });
  const assistants = page.getByRole('region', { name: 'Your Assistants' }).getByRole('listitem');
  await expect(assistants).toHaveCount(1);
  await toggle.click();
  await expect(assistants).toHaveCount(0);
  await page.reload();
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await expect(assistants).toHaveCount(0);
  await toggle.press('Enter');
  await expect(assistants).toHaveCount(1);
});
