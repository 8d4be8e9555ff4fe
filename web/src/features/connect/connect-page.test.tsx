import { apiTokens } from '@roster/contracts/api-tokens';
import { connect } from '@roster/contracts/connect';
import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate } from '#web/testing/new-account.ts';
import { expectCount, expectText } from '#web/testing/page.ts';

/** The API is called without the page's own client. */
function answerProgram(answered: Response): void {
  const ofPage = vi.mocked(fetch).getMockImplementation();
  if (!ofPage) throw new Error('There is no server');
  vi.mocked(fetch).mockImplementation(async (...given) =>
    given[0] === '/v1/chat/completions' ? answered : ofPage(...given),
  );
}

const callable = { id: 1, name: 'Tutor', model: 'asst_given', alias: 'Tutor@roster' };

test('explains a refused call next to request and response', async () => {
  const message = 'The budget of $5.00 a month is used up: $5.01 so far. Raise it in Analytics.';
  const error = { message, type: 'insufficient_quota', param: null, code: 'insufficient_quota' };
  open('/connect', {
    answers() {
      answer(connect.assistants, [callable]);
      answer(apiTokens.createTrial, { token: 'rst_given', expiresAt: fixtureDate });
      answerProgram(Response.json({ error }, { status: 429 }));
    },
  });
  await page.getByRole('button', { name: 'Send' }).click();
  const card = page.getByRole('region', { name: 'Try it' });
  await expect.element(card.getByText('The request was refused')).toBeVisible();
  await expect.element(card.getByText(message, { exact: true })).toBeVisible();
  await expectText(card.getByRole('region', { name: 'Answer' }), /429 · \d+\.\d s/);
  await expectText(card.getByRole('region', { name: 'Request' }), '"model": "asst_given"');
});

test('reserves space before the assistants are loaded', async () => {
  const known = Promise.withResolvers<(typeof callable)[]>();
  open('/connect', { answers: () => answer(connect.assistants, () => known.promise) });
  await expect.element(page.getByText('Loading your assistants and models')).toBeInTheDocument();
  known.resolve([callable]);
  await expect.element(page.getByRole('textbox', { name: 'Model in your program' })).toHaveValue('asst_given');
});

test('creates a token on a press, fills it in, and forgets it with the page', async () => {
  const created = { id: 1, name: 'Connect: Tutor', last4: 'ated', rights: ['chat' as const] };
  const rest = { monthlyBudgetUsd: null, spentUsd: 0, expiresAt: null, lastUsedAt: null, lastUsedIp: null };
  open('/connect', {
    answers() {
      answer(connect.assistants, [callable]);
      answer(apiTokens.create, { ...created, ...rest, createdAt: fixtureDate, token: 'rst_created' });
    },
  });
  const snippets = page.getByRole('region', { name: 'Snippets' });
  await expect.element(snippets).toBeVisible();
  expect(requestsTo(apiTokens.create)).toEqual([]);
  await page.getByRole('button', { name: 'Create token' }).click();
  await expectText(page.getByRole('region', { name: 'Environment variables' }), 'OPENAI_API_KEY=rst_created');
  await expectText(snippets, /OPENAI_API_KEY=rst_created\s*curl/);
  await snippets.getByRole('tab', { name: 'Node' }).click();
  await expectText(snippets, /OPENAI_API_KEY=rst_created\s*npm install openai/);
  const [{ body } = { body: null }] = requestsTo(apiTokens.create);
  expect(body).toMatchObject({ name: 'Connect: Tutor', rights: ['chat'], expiresInDays: 90 });
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('link', { name: 'Connect', exact: true }).click();
  await expect.element(page.getByRole('button', { name: 'Create token' })).toBeVisible();
  await expectCount(page.getByText('rst_created'), 0);
});

test('preselects a model', async () => {
  open('/connect?model=gpt-5', { answers: () => answer(connect.assistants, [callable]) });
  await expect.element(page.getByRole('textbox', { name: 'Model in your program' })).toHaveValue('gpt-5');
});
