import { apiTokens } from '@roster/contracts/api-tokens';
import { connect } from '@roster/contracts/connect';
import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { answer } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate } from '#web/testing/new-account.ts';
import { expectText } from '#web/testing/page.ts';

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
