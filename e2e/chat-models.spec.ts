import type { Page } from '@playwright/test';
import { conversation } from './conversation.ts';
import { expect, expectAccessible, expectNoSidewaysScroll, goodKey, request, test } from './fixtures.ts';

/** The list of assistants and models. */
function picker(page: Page) {
  const list = page.getByRole('dialog', { name: 'Who answers' });
  return {
    list,
    search: list.getByRole('combobox'),
    option: (name: string | RegExp) => list.getByRole('option', { name }),
    open: () => page.getByRole('button', { name: /^(Model|Assistant): / }).click(),
    async several(...models: string[]) {
      await page.getByRole('button', { name: /^(Model|Assistant): / }).click();
      await list.getByRole('button', { name: 'Ask several models at once…' }).click();
      for (const model of models) await list.getByRole('option', { name: new RegExp(`^${model} `) }).click();
      await list.getByRole('button', { name: `Ask ${models.length} models` }).click();
      await expect(list).toBeHidden();
    },
  };
}

test.beforeEach(async ({ page, roster, signedIn: _ }) => {
  await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
});

test('answers with any model without an assistant, changes it, and starts the next chat with it', async ({ page }) => {
  const { ask, answers, untilDone } = conversation(page);
  const { list, search, open } = picker(page);
  await page.goto('/chat');
  await open();
  await expect(list.getByRole('option', { name: /^gpt-4o .*\$2\.50 in · \$10\.00 out/ })).toBeVisible();
  await expectAccessible(page);
  await search.fill('gpt-4.1');
  await page.keyboard.press('Enter');
  await expect(list).toBeHidden();
  await expect(page.getByRole('button', { name: 'Model: gpt-4.1' })).toBeVisible();
  await ask('The first');
  await untilDone();
  await answers.hover();
  await expect(answers.getByText('gpt-4.1', { exact: true })).toBeVisible();

  await open();
  await search.fill('gpt-4o-mini');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Model: gpt-4o-mini' })).toBeVisible();
  await ask('The second');
  await untilDone();
  await expect(page.getByText('gpt-4o-mini answers from here')).toBeVisible();

  await answers.last().hover();
  await answers.last().getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Answer with another model' }).click();
  await page.getByRole('dialog', { name: 'Answer with another model' }).getByRole('combobox').fill('gpt-4.1');
  await page.keyboard.press('Enter');
  await expect(answers.last().getByText('2/2')).toBeVisible();
  await untilDone();
  await answers.first().hover();
  // The version counter is visible without hovering.
  await expect(answers.last().getByText('2/2')).toHaveCSS('opacity', '1');
  await expect(answers.last().getByText('gpt-4.1', { exact: true })).toBeAttached();
  await expect(page.getByText('answers from here')).toBeHidden();

  await page.goto('/chat');
  await expect(page.getByRole('button', { name: 'Model: gpt-4.1' })).toBeVisible();
});

test('disables a model that was shut down, and says when one retires', async ({ page }) => {
  await page.route('**/api/models', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const life = { 'gpt-4o': ['gone', '2026-01-31'], 'gpt-4.1': ['ending', '2027-02-01'] };
    for (const model of body.models) {
      const [lifecycle, shutdownDate] = new Map(Object.entries(life)).get(model.id) ?? [];
      if (lifecycle) Object.assign(model, { lifecycle, shutdownDate, successor: null });
      if (model.id === 'gpt-4o-mini') model.price = null;
    }
    await route.fulfill({ response, json: body });
  });
  const { list, option, open } = picker(page);
  await page.goto('/chat');
  await open();
  await option(/^Show .* models/).click();
  await expect(option(/^gpt-4o Retired Jan 31 .*Retired on January 31, 2026/)).toBeDisabled();
  await option(/^gpt-4o Retired/).click({ force: true });
  await expect(list).toBeVisible();
  await expect(option(/^gpt-4.1 Retires Feb 1 /)).toBeVisible();
  await expect(option(/^gpt-4o-mini .*no price known/)).toBeVisible();
});

test('sends one question to three models in parallel, and continues with one of them', { tag: '@main' }, async ({
  page,
  roster,
}) => {
  // One of them is still generating when the others are done, however long the page takes.
  await roster.fault(goodKey, { hangAfter: 5 }, 1, { path: '/responses', model: 'gpt-4o-mini' });
  const { message, ask, questions, answers, untilDone } = conversation(page);
  const { several } = picker(page);
  await page.goto('/chat');
  await several('gpt-4o', 'gpt-4.1', 'gpt-4o-mini');
  await expect(page.getByText('Asks 3 models; each answer is billed')).toBeVisible();
  await ask('Count on [[bench 60]] [[delay 60]]');
  const column = (model: string) => page.getByRole('article', { name: `Answer of ${model}`, exact: true });
  for (const model of ['gpt-4o', 'gpt-4.1', 'gpt-4o-mini']) await expect(column(model)).toContainText('t0002');
  const left = async (model: string) => (await column(model).boundingBox())?.x ?? 0;
  expect(await left('gpt-4.1')).toBeGreaterThan((await left('gpt-4o')) + 150);
  await page.reload();
  await expect(column('gpt-4.1')).toContainText('t0004');
  await column('gpt-4o-mini').getByRole('button', { name: 'Stop gpt-4o-mini' }).click();
  await expect(column('gpt-4o-mini').getByRole('status')).toHaveText('Stopped');
  await expect(column('gpt-4.1').getByRole('status')).toHaveText('Complete');
  await expect(column('gpt-4.1')).toContainText('t0059');
  await expect(column('gpt-4.1')).toContainText(/\$0\.\d+.* tokens.* s/);
  await untilDone();
  await expectAccessible(page);

  // The user must first choose one.
  await message.fill('And then?');
  await message.press('Enter');
  await expect(page.getByText('First choose an answer')).toBeVisible();
  await expect(message).toHaveValue('And then?');
  await expect(questions).toHaveCount(1);

  await column('gpt-4.1').getByRole('button', { name: 'Continue with this answer' }).click();
  await expect(answers).toHaveCount(1);
  await expect(answers.getByText('2/3')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Model: gpt-4.1' })).toBeVisible();
  await expect(message).toBeFocused();
  await page.reload();
  await expect(answers.getByText('2/3')).toBeVisible();
  await message.press('Enter');
  await expect(answers).toHaveCount(2);
  await untilDone();
  await expect(questions).toHaveText([/Count on/, /And then\?/]);
  await expect(answers.last().getByText('gpt-4.1', { exact: true })).toBeAttached();
});

test('keeps other answers when a model fails, and shows them as tabs on a phone', async ({ page, ownRoster }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await request(page, ownRoster, 'POST', '/api/register', {
    email: 'phone@example.com',
    password: 'correct horse battery',
  });
  await request(page, ownRoster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
  await ownRoster.fault(goodKey, { fail: 'model_not_found' }, 1, { path: '/responses' });
  const { body } = await request(page, ownRoster, 'POST', '/api/threads', { title: 'Two at once' });
  await page.goto(`${ownRoster.url}/chat/${body.id}`);
  const { ask, answers, untilDone } = conversation(page);
  const { several } = picker(page);
  await several('gpt-4o', 'gpt-4.1');
  await ask('Who is there?');
  const tab = (name: string) => page.getByRole('tab', { name });
  await expect(tab('gpt-4.1')).toBeVisible();
  await untilDone();
  const texts: string[] = [];
  for (const model of ['gpt-4o', 'gpt-4.1']) {
    await tab(model).click();
    const column = page.getByRole('article', { name: `Answer of ${model}`, exact: true });
    await expect(column.getByRole('status')).toHaveText(/Complete|Failed/);
    texts.push(await column.getByRole('status').innerText());
  }
  expect(texts.toSorted()).toEqual(['Complete', 'Failed']);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await tab('gpt-4o').click();
  await page.getByRole('button', { name: 'Continue with this answer' }).click();
  await expect(answers.getByText('1/2')).toBeVisible();
  // Like another browser, which remembers nothing.
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await expect(answers.getByText('1/2')).toBeVisible();
  await expect(tab('gpt-4.1')).toBeHidden();
});
