import { type AccessToken, apiTokens } from '@roster/contracts/api-tokens';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate } from '#web/testing/new-account.ts';
import { expectText } from '#web/testing/page.ts';

const token = (id: number, more: Partial<AccessToken>): AccessToken => ({
  id,
  name: `Token ${id}`,
  rights: ['chat'],
  last4: 'abcd',
  monthlyBudgetUsd: null,
  spentUsd: 0,
  createdAt: fixtureDate,
  expiresAt: null,
  lastUsedAt: null,
  lastUsedIp: null,
  ...more,
});
const rows = page.getByRole('list', { name: 'Access tokens' }).getByRole('listitem');

afterEach(() => {
  document.documentElement.removeAttribute('dir');
});

test('explains why a token is inactive and what revoking it does', async () => {
  open('/settings?tab=api-keys', {
    answers: () =>
      answer(apiTokens.list, [
        token(3, { name: 'Old', expiresAt: '2026-01-01T00:00:00.000Z' }),
        token(2, { monthlyBudgetUsd: 5, spentUsd: 5.01 }),
        token(1, { monthlyBudgetUsd: 5, spentUsd: 4.99 }),
      ]),
  });
  await expectText(rows.nth(0), 'Expired');
  await expectText(rows.nth(1), 'Budget used up');
  await expect.element(rows.nth(2)).not.toMatchTextContent('Budget used up');
  await rows.nth(0).getByRole('button', { name: 'Revoke Old' }).click();
  await expectText(page.getByRole('alertdialog', { name: 'Revoke “Old”?' }), 'It has expired');
});

/** Position of a character in an element's text. */
function placeOf(element: Element, index: number): DOMRect {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const text = texts.nextNode();
  if (!(text instanceof Text)) throw new Error('There is no text');
  const range = document.createRange();
  range.setStart(text, index);
  range.setEnd(text, index + 1);
  return range.getBoundingClientRect();
}

test('keeps the full stop at the end of a sentence on a right-to-left page', async () => {
  document.documentElement.dir = 'rtl';
  open('/settings?tab=api-keys', {
    answers() {
      answer(apiTokens.list, []);
      answer(apiTokens.create, ({ body: { name } }) => ({ ...token(1, { name }), token: 'rst_given' }));
    },
  });
  const footer = page.getByText(/^Your API key is encrypted at rest/);
  await expect.element(footer).toBeVisible();
  await page.getByRole('button', { name: 'New Token' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('مساعد.');
  await page.getByRole('button', { name: 'Create Token' }).click();
  const notice = page.getByText(/^Anyone with this token/);
  await expect.element(notice).toBeVisible();
  for (const sentence of [footer, notice]) {
    const element = sentence.element();
    const stop = (element.textContent ?? '').lastIndexOf('.');
    expect(placeOf(element, stop).left).toBeGreaterThanOrEqual(placeOf(element, stop - 1).right - 1);
    // The text starts where the page does.
    expect(getComputedStyle(element).textAlign).toBe('right');
  }
  // A right-to-left name does not reverse the sentence.
  const sentence = page.getByText(/^The token “/).element();
  expect(placeOf(sentence, 0).left).toBeLessThan(placeOf(sentence, 4).left);
});
