import { account, type UserConfig } from '@roster/contracts/account';
import { models } from '@roster/contracts/models/models';
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, changes, hold, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open, show } from '#web/testing/app.tsx';
import { model, modelList, noKey, savedKey } from '#web/testing/new-account.ts';
import { expectCount, expectHidden, expectText, expectToast, press, toasts } from '#web/testing/page.ts';

const keyField = page.getByLabelText(/^(API key|Replace the API key)$/);

async function saveKey(key: string) {
  await keyField.fill(key);
  await page.getByRole('button', { name: 'Save API Key' }).click();
}

/** Settings of an account without a key. Saving one changes the account. */
function openKeys(given: Partial<UserConfig> = {}) {
  open('/settings?tab=api-keys', {
    answers() {
      let config = noKey;
      answer(account.config, () => config);
      answer(account.saveApiKey, ({ body }) => {
        config = { ...savedKey, apiKeyLast4: body.apiKey.slice(-4), ...given };
        return config;
      });
      answer(account.removeApiKey, () => {
        config = noKey;
      });
    },
  });
}

describe('API key', () => {
  test('leads from a key that works to a question for three models', async () => {
    openKeys();
    answer(models.list, modelList(...['gpt-4o', 'gpt-4o-mini', 'gpt-5'].map((id) => model(id))));
    await saveKey(`sk-${'a'.repeat(40)}`);
    await page.getByRole('link', { name: 'Ask three models at once' }).click();
    await expect.element(page.getByText('3 models answer side by side.')).toBeVisible();
    await expectCount(page.getByRole('list', { name: 'Conversation starters' }).getByRole('listitem'), 3);
  });

  test('shows one toast on a phone, which covers nothing of the result', async () => {
    await page.viewport(390, 844);
    openKeys();
    answer(models.list, modelList(...['gpt-4o', 'gpt-4o-mini', 'gpt-5'].map((id) => model(id))));
    const typed = `sk-${'a'.repeat(40)}`;
    answer(account.saveApiKey, refusal('key_rejected', 'Incorrect API key provided.'));
    await saveKey(typed);
    await expectToast('Failed to update API key');
    answer(account.saveApiKey, () => savedKey);
    for (let time = 1; time <= 2; time++) {
      await saveKey(typed);
      await expect.element(page.getByRole('link', { name: 'Ask three models at once' })).toBeVisible();
      await expectToast('API Key Updated');
      // At once: an older one would soon be gone by itself.
      expect(toasts.elements()).toHaveLength(1);
    }
    const result = page.getByRole('status').filter({ hasText: 'The key works' }).element().getBoundingClientRect();
    const toast = () => toasts.element().getBoundingClientRect();
    await expect.poll(() => toast().bottom <= result.top || toast().top >= result.bottom).toBe(true);
  });

  test('opens the saved key from the sub-tab of the assistants', async () => {
    open('/settings?tab=assistants&view=api-key', { answers: () => answer(account.config, savedKey) });
    await page.getByRole('link', { name: 'Open the saved key' }).click();
    await expect.poll(address).toBe('/settings?tab=api-keys');
    await expect.element(page.getByText('API Key is set')).toBeVisible();
  });

  test('shows and hides the key while typing', async () => {
    openKeys();
    await keyField.fill('sk-typed');
    await expect.element(keyField).toHaveAttribute('type', 'password');
    await page.getByRole('button', { name: 'Show API key' }).click();
    await expect.element(keyField).toHaveAttribute('type', 'text');
    await page.getByRole('button', { name: 'Hide API key' }).click();
    await expect.element(keyField).toHaveAttribute('type', 'password');
  });

  test('requires a key', async () => {
    openKeys();
    await saveKey('   ');
    await expectToast('API Key Required', 'Please enter your OpenAI API key.');
    await expect.element(keyField).toHaveFocus();
    expect(changes()).toEqual([]);
  });

  test('does not save a rejected key, and shows the provider’s message', async () => {
    openKeys();
    answer(account.saveApiKey, refusal('key_rejected', 'Incorrect API key provided: sk-inval…xxxx.'));
    await saveKey(`sk-invalid-${'x'.repeat(40)}`);
    const notice = page.getByRole('alert').filter({ hasText: 'OpenAI rejected this key; it was not saved' });
    await expectText(notice, 'Incorrect API key provided');
    await expectToast('Failed to update API key', 'Incorrect API key provided');
    await expect.element(page.getByText('No API Key set')).toBeVisible();
    show('/settings?tab=api-keys');
    await expect.element(page.getByText('No API Key set')).toBeVisible();
  });

  test('saves the key unverified if the provider is unreachable', async () => {
    openKeys({ apiKeyVerified: false, apiKeyNotice: 'OpenAI could not be reached.' });
    await saveKey(`sk-unreachable-${'x'.repeat(40)}`);
    await expect.element(page.getByText('Saved, but not verified')).toBeVisible();
    await expect.element(page.getByText('API Key is set')).toBeVisible();
    await expect.element(page.getByText('Not verified', { exact: true })).toBeVisible();
  });

  test('replaces and removes the key', async () => {
    openKeys();
    await saveKey(`sk-${'simulated'.repeat(5)}`);
    await expect.element(page.getByText('API Key is set')).toBeVisible();
    await saveKey(`sk-${'another'.repeat(6)}-9876`);
    await expect.element(page.getByText('ends in 9876')).toBeVisible();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Remove API Key' });
    await expect.element(dialog.getByRole('button', { name: 'Cancel' })).toHaveFocus();
    await press('Escape');
    await expectHidden(dialog);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.getByRole('button', { name: 'Remove API Key' }).click();
    await expectToast('API Key Removed', 'Your API key is no longer stored here.');
    await expect.element(page.getByText('No API Key set')).toBeVisible();
  });

  test('shows that the key is being saved', async () => {
    openKeys();
    const say = hold(account.saveApiKey);
    await saveKey('sk-good');
    await expect.element(page.getByRole('button', { name: 'Saving...' })).toBeVisible();
    answer(account.config, savedKey);
    say(savedKey);
    await expect.element(page.getByText('API Key is set')).toBeVisible();
    expect(requestsTo(account.saveApiKey)).toMatchObject([{ body: { apiKey: 'sk-good' } }]);
  });
});
