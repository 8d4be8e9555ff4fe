import { account } from '@roster/contracts/account';
import { assistantDrafts } from '@roster/contracts/assistants/drafts';
import { chat } from '@roster/contracts/chat';
import { connect } from '@roster/contracts/connect';
import { models } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { exchange, serveThreads, thread } from '#web/testing/conversations.ts';
import { model, modelList, savedKey } from '#web/testing/new-account.ts';
import { expectCount, expectText, expectTexts, press } from '#web/testing/page.ts';

const names = ['gpt-4o', 'gpt-4o-mini'];
const price = { input: 2.5, cachedInput: null, output: 10, asOf: '2026-11-20', family: null };
const list = modelList(...names.map((id) => model(id, { price })));

/** One question, answered by two models; the second is still writing. */
function openColumns(assistantId: number | null = null) {
  const messages = exchange(1, { text: 'The question' }, { text: 'The first answer', together: [2, 3] });
  const createdAt = new Date(Date.now() - 12_000).toISOString();
  const growing = { text: 'x'.repeat(4000), state: 'running' as const, run: null };
  open('/chat/1', {
    answers() {
      answer(account.config, savedKey);
      answer(models.list, list);
      serveThreads([thread(1, { assistantId })], messages);
      const [, first] = messages;
      if (!first) return;
      const second = { ...first, ...growing, id: 3, model: 'gpt-4o-mini', createdAt, finishedAt: null };
      answer(chat.answers, { items: [first, second] });
      answer(connect.assistants, []);
      answer(assistantDrafts.get, { draft: null });
    },
  });
}

const column = (name: string) => page.getByRole('article', { name: `Answer of ${name}`, exact: true });

test('counts time and price while a model writes', async () => {
  openColumns();
  await expectText(column('gpt-4o-mini'), /Writing.*\d+ s\s*≈ \$0\.01/s);
});

test('keeps the names of models in sight at the end of long answers', async () => {
  openColumns();
  const place = () => page.getByRole('region', { name: 'Messages' }).element();
  await expectText(column('gpt-4o-mini'), /Writing/);
  place().scrollTop = place().scrollHeight;
  const foot = column('gpt-4o-mini').getByText(/≈ \$/);
  await expect.element(foot).toBeInViewport();
  for (const name of names) {
    const head = column(name).getByRole('heading', { name: new RegExp(`^${name}(?!-)`) });
    await expect.element(head).toBeInViewport({ ratio: 1 });
    expect(head.element().getBoundingClientRect().top).toBeGreaterThanOrEqual(place().getBoundingClientRect().top);
  }
});

test('leads from an answer to an assistant with its model, and to code that uses it', async () => {
  openColumns();
  const first = page.getByRole('article', { name: 'Answer of gpt-4o', exact: true });
  await first.getByRole('link', { name: /^Use in a program/ }).click();
  await expect.poll(address).toBe('/connect?model=gpt-4o');
  openColumns();
  await first.getByRole('link', { name: /^Save as assistant/ }).click();
  await expect.poll(address).toBe('/assistants/new?model=gpt-4o');
  await expect.element(page.getByRole('combobox', { name: 'Model' })).toHaveValue('gpt-4o');
});

test('offers questions to three models at once, and sends the pressed one to all', async () => {
  open(`/chat?new=true&models=${encodeURIComponent(JSON.stringify(names))}`, {
    answers() {
      answer(account.config, savedKey);
      answer(models.list, list);
      serveThreads([thread(1)], []);
      answer(chat.createThread, thread(1));
      answer(chat.send, refusal('unavailable', 'Not now.'));
    },
  });
  const starters = page.getByRole('list', { name: 'Conversation starters' }).getByRole('button');
  await expectCount(starters, 3);
  await starters.nth(0).click();
  await expect.poll(() => requestsTo(chat.send).map(({ body }) => body.models)).toEqual([names]);
});

test('offers further actions on an answer in words', async () => {
  open('/chat/1', {
    answers() {
      answer(account.config, savedKey);
      answer(models.list, list);
      answer(connect.assistants, []);
      serveThreads([thread(1)], exchange(1, { text: 'The question' }, { text: 'The answer' }));
    },
  });
  const more = page.getByRole('button', { name: 'More actions' });
  await more.click();
  const items = ['Answer with another model', 'Improve this answer', 'Save as assistant', 'Use in a program'];
  await expectTexts(page.getByRole('menuitem'), items);
  await page.getByRole('menuitem', { name: 'Answer with another model' }).click();
  await expect.element(page.getByRole('dialog', { name: 'Answer with another model' })).toBeVisible();
  await press('Escape');
  await expect.element(more).toHaveFocus();
  await more.click();
  await page.getByRole('menuitem', { name: 'Use in a program' }).click();
  await expect.poll(address).toBe('/connect?model=gpt-4o');
});
