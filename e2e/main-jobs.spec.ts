import type { Page } from '@playwright/test';
import { conversation, exchange, startThread } from './conversation.ts';
import { expect, expectToast, goodKey, request, test } from './fixtures.ts';
import { type By, presses } from './presses.ts';

const saveKey = (page: Page, roster: Parameters<typeof request>[1]) =>
  request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });

const ways: By[] = ['pointer', 'keyboard'];

for (const by of ways)
  test.describe(`by ${by}`, () => {
    test('leads from the key to three answers in four presses', async ({ page, signedIn: _ }) => {
      const { press, type, expectPresses } = presses(page, by);
      await page.goto('/');
      await press(page.getByRole('link', { name: 'Add API key' }));
      await type(page.getByLabel('API key', { exact: true }), goodKey);
      await press(page.getByRole('button', { name: 'Save API Key' }));
      await press(page.getByRole('link', { name: 'Ask three models at once' }));
      await press(page.getByRole('list', { name: 'Conversation starters' }).getByRole('button').first());
      const columns = page.getByRole('article', { name: /^Answer of / });
      await expect(columns).toHaveCount(3);
      await expect(columns.getByText('Complete')).toHaveCount(3);
      expectPresses(4);
      const best = columns.first();
      await best.getByRole('button', { name: /^Continue with this answer/ }).click();
      await expect(columns).toHaveCount(0);
      await conversation(page).ask('And now?');
      await conversation(page).untilDone();

      await page.goto('/');
      await expect(page.getByRole('heading', { name: 'First steps' })).toBeHidden();
      await expect(page.getByRole('region', { name: 'Recent conversations' })).toBeVisible();
    });

    test('creates a token with its code in two presses', async ({ page, roster, signedIn: _ }) => {
      await saveKey(page, roster);
      const { press, expectPresses } = presses(page, by);
      await page.goto('/');
      await press(page.getByRole('link', { name: 'Connect', exact: true }));
      await press(page.getByRole('button', { name: 'Create token' }));
      const code = page.getByRole('region', { name: 'Environment variables' }).locator('pre code');
      await expect(code).toHaveText(/OPENAI_API_KEY=rst_[0-9A-Za-z]{38}/);
      expectPresses(2);
      const [token = ''] = /rst_[0-9A-Za-z]{38}/.exec((await code.textContent()) ?? '') ?? [];
      const called = await fetch(`${roster.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
      expect(called.status).toBe(200);
    });

    test('creates the first assistant from a template in four presses', async ({ page, roster, signedIn: _ }) => {
      await saveKey(page, roster);
      const { press, expectPresses } = presses(page, by);
      await page.goto('/');
      await press(page.getByRole('link', { name: 'Assistants', exact: true }));
      await press(page.getByRole('button', { name: 'New assistant' }).first());
      await press(page.getByRole('button', { name: /^Meeting notes/ }));
      await press(page.getByRole('button', { name: 'Create assistant' }));
      await expectToast(page, 'Assistant created', 'is ready to chat');
      expectPresses(4);
    });

    test('compares two models in four presses', async ({ page, roster, signedIn: _ }) => {
      await saveKey(page, roster);
      const { press, expectPresses } = presses(page, by);
      await page.goto('/');
      await press(page.getByRole('link', { name: 'Chat', exact: true }));
      await press(page.getByRole('button', { name: 'Compare with another model' }));
      const picker = page.getByRole('dialog', { name: 'Compare models' });
      await press(picker.getByRole('option', { name: /^gpt-4o-mini / }));
      await press(picker.getByRole('button', { name: 'Ask 2 models' }));
      // The question can be typed at once: the field has the focus.
      await expect(conversation(page).message).toBeFocused();
      await page.keyboard.type('Which of you is shorter? [[delay 0]]');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('article', { name: /^Answer of / })).toHaveCount(2);
      expectPresses(4);
    });

    test('attaches a file to a question in three presses', async ({ page, roster, signedIn: _ }) => {
      await saveKey(page, roster);
      const { press, expectPresses } = presses(page, by);
      await page.goto('/');
      await press(page.getByRole('link', { name: 'Chat', exact: true }));
      const chooser = page.waitForEvent('filechooser');
      await press(page.getByRole('button', { name: 'Attach files' }));
      await press(page.getByRole('menuitem', { name: 'Upload from this device' }));
      const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Moss grows in the shade.') };
      await (await chooser).setFiles(notes);
      await expect(page.getByText('1 of 1 file attached')).toBeAttached();
      expectPresses(3);
    });

    test('opens a conversation of last week in two presses', async ({ page, roster, signedIn: _ }) => {
      await saveKey(page, roster);
      for (const title of ['Tides', 'Ferns', 'Moss', 'Lichen', 'Clouds', 'Rain'])
        await exchange(page, roster, await startThread(page, roster, { title }), 'Hello [[delay 0]]');
      await page.clock.setFixedTime(Date.now() + 6 * 24 * 60 * 60_000);
      const { press, expectPresses } = presses(page, by);
      await page.goto('/');
      await press(page.getByRole('link', { name: 'Chat', exact: true }));
      await expect(page.getByRole('heading', { name: 'Previous 7 Days' })).toBeVisible();
      await press(page.getByRole('link', { name: 'Tides' }));
      await expect(conversation(page).answers).toHaveCount(1);
      expectPresses(2);
    });

    test('shows this month’s cost without a press, and by model with one', async ({ page, roster, signedIn: _ }) => {
      await saveKey(page, roster);
      await exchange(
        page,
        roster,
        await startThread(page, roster, { title: 'Tides' }),
        'Hello [[tokens 900]] [[delay 0]]',
      );
      const { press, expectPresses } = presses(page, by);
      await page.goto('/');
      const month = page.getByRole('region', { name: 'This month' });
      await expect(month).toContainText(/\$0\.0\d+\s*estimated, 1 request/);
      expectPresses(0);
      await press(month.getByRole('link', { name: 'All costs' }));
      await expect(page.getByRole('radio', { name: 'This month' })).toBeChecked();
      const byModel = page.getByRole('region', { name: 'Cost by Model' });
      await expect(byModel.getByRole('listitem')).toContainText(/gpt-4o.*\$0\.0/);
      expectPresses(1);
    });

    test('starts a fine-tuning job in five presses', async ({ page, roster, signedIn: _ }) => {
      await saveKey(page, roster);
      const lines = Array.from({ length: 20 }, (_value, number) =>
        JSON.stringify({
          messages: [
            { role: 'user', content: `How do I reset device ${number}?` },
            { role: 'assistant', content: `Hold the button of device ${number}.` },
          ],
        }),
      );
      const stored = await page.request.post(`${roster.url}/api/files/upload`, {
        headers: { origin: roster.url },
        multipart: {
          purpose: 'fine-tune',
          file: { name: 'examples.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(lines.join('\n')) },
        },
      });
      const { id } = await stored.json();
      const { press, choose, type, expectPresses } = presses(page, by);
      await page.goto('/');
      await press(page.getByRole('link', { name: 'Fine-Tuning', exact: true }));
      await press(page.getByRole('button', { name: 'Create Fine-Tuning Job' }).first());
      const dialog = page.getByRole('dialog', { name: 'Create Fine-Tuning Job' });
      await type(dialog.getByRole('textbox', { name: 'Name' }), 'Support tone');
      await choose(dialog.getByRole('combobox', { name: 'Base model', exact: true }), 'gpt-4.1-mini-2025-04-14');
      await choose(dialog.getByRole('combobox', { name: 'Training file', exact: true }), String(id));
      await expect(dialog.getByText('Ready to train', { exact: true })).toBeVisible();
      await press(dialog.getByRole('button', { name: 'Create Job' }));
      await expect(dialog).toBeHidden();
      expectPresses(5);
    });
  });
