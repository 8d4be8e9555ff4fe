import { modelChoices } from '@roster/contracts/models/model-choices';
import { models } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { serveAssistants } from '#web/testing/assistants.ts';
import { connection, model, modelList } from '#web/testing/new-account.ts';
import { expectHidden, expectTexts, press } from '#web/testing/page.ts';

const field = page.getByLabelText('Model', { exact: true });
const picker = page.getByRole('dialog', { name: 'Models' });
const option = (name: string | RegExp) => picker.getByRole('option', { name });

function openForm(...connections: Parameters<typeof connection>[]) {
  open('/settings?tab=assistants&view=create', {
    answers() {
      const price = { input: 2.5, cachedInput: null, output: 10, asOf: '2026-11-01', family: null };
      const own = [model('gpt-4o', { price, marks: ['vision', 'tools'] }), model('gpt-4.1')];
      answer(models.list, {
        ...modelList(...own),
        connections: connections.map((given) => connection(...given)),
      });
      serveAssistants();
    },
  });
}

test('is searched and chosen by keyboard, and remembers what was chosen', async () => {
  openForm([7, 'Home', model('@7/llama3.2')]);
  await field.click();
  await expect.element(option(/^gpt-4o 128K context Images Tools \$2\.50 in · \$10\.00 out/)).toBeVisible();
  await picker.getByRole('combobox').fill('home');
  await press('Enter');
  await expectHidden(picker);
  await expect.element(field).toHaveTextContent('llama3.2 (Home)');
  await expect.element(field).toHaveFocus();
  expect(requestsTo(modelChoices.save).map(({ body }) => body)).toEqual([{ recent: ['@7/llama3.2'] }]);
  await press('ArrowDown');
  await expect.element(picker.getByText('Recently used')).toBeVisible();
  await press('Escape');
  await expectHidden(picker);
});

test('cuts the name of a tuned model in the middle, so that it takes one line on a phone', async () => {
  await page.viewport(390, 844);
  const tuned = 'ft:gpt-4o-mini-2024-07-18:a-rather-long-organization:customer-support:Ab12Cd34';
  open('/settings?tab=assistants&view=create', {
    answers() {
      answer(models.list, modelList(model('gpt-4o'), model(tuned)));
      serveAssistants();
    },
  });
  await field.click();
  const name = picker.getByTitle(tuned);
  await expect.element(name).toBeVisible();
  await expect.element(picker.getByRole('option', { name: tuned })).toBeVisible();
  const { height, right } = name.element().getBoundingClientRect();
  expect(height).toBeLessThan(25);
  expect(right).toBeLessThanOrEqual(390);
  const [head, tail] = [...name.element().querySelectorAll('[aria-hidden]')].map(
    (part) => part.getBoundingClientRect().width,
  );
  expect(Math.min(head ?? 0, tail ?? 0)).toBeGreaterThan(60);
});

test('says what a model is good for, and finds it by that', async () => {
  open('/settings?tab=assistants&view=create', {
    answers() {
      answer(
        models.list,
        modelList(model('gpt-4o'), model('gpt-6-luna', { goodFor: 'Fast and cheap, for many short tasks' })),
      );
      serveAssistants();
    },
  });
  await field.click();
  await expect.element(option(/^gpt-6-luna 128K context Fast and cheap, for many short tasks/)).toBeVisible();
  await picker.getByRole('combobox').fill('cheap');
  await expectHidden(option(/^gpt-4o/));
  await expect.element(option(/^gpt-6-luna/)).toBeVisible();
});

test('marks favorites and hides models, by keyboard too', async () => {
  openForm();
  await field.click();
  await picker.getByRole('combobox').fill('gpt-4.1');
  await press('Tab');
  await press('Enter');
  await expectTexts(picker.getByRole('presentation'), ['Favorites']);
  await picker.getByRole('button', { name: 'Hide gpt-4.1' }).click();
  await expect.element(option('Show hidden (1)')).toBeVisible();
  const sent = requestsTo(modelChoices.save).map(({ body }) => body);
  expect(sent).toEqual([{ favorites: ['gpt-4.1'] }, { hidden: ['gpt-4.1'] }]);
});

test('draws only those in view of 10,000 models, and says how long opening took', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => model(`@7/maker-${index % 90}/model-${index}`));
  openForm([7, 'Big', ...many]);
  await field.click();
  await expect.element(option(/^gpt-4o /)).toBeVisible();
  await press('Escape');
  await expectHidden(picker);
  const begin = performance.now();
  document.querySelector<HTMLElement>('[role="combobox"][aria-haspopup="dialog"]')?.click();
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const ms = performance.now() - begin;
  expect(document.querySelectorAll('[role="dialog"] [role="option"]').length).toBeGreaterThan(3);
  // biome-ignore lint/suspicious/noConsole: the figure is the test's result
  console.log(`The picker opened with 10,002 models in ${ms.toFixed(0)} ms`);
  expect(document.querySelectorAll('[role="option"]').length).toBeLessThan(80);
  await picker.getByRole('combobox').fill('model-9999');
  await press('Enter');
  await expect.element(field).toHaveTextContent('maker-9/model-9999 (Big)');
});
