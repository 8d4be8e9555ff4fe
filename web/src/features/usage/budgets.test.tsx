import type { ProjectBudget } from '@roster/contracts/usage/usage';
import { usage } from '@roster/contracts/usage/usage';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { exchange, serveThreads, thread } from '#web/testing/conversations.ts';
import { expectHidden, expectText, expectToast } from '#web/testing/page.ts';
import { project, serveProjects } from '#web/testing/projects.ts';

const card = page.getByRole('region', { name: 'Budgets', exact: true });
const dialog = page.getByRole('dialog');
const terms = { amountUsd: 10, warnAt: 0.8, hardStop: true, tz: 'UTC' };
const general = { ...terms, id: 1, assistant: null, spentUsd: 1, state: 'within' as const };
const ofProject = (more: Partial<ProjectBudget> = {}): ProjectBudget => ({
  ...{ ...terms, id: 1, project: { id: 1, name: 'Garden' }, spentUsd: 9, state: 'warning' },
  ...more,
});

/** Budgets of projects that can be saved and removed. */
function serveBudgets(given: ProjectBudget[] = []) {
  let kept = given;
  answer(usage.projectBudgets, () => kept);
  answer(usage.saveProjectBudget, ({ body: { projectId, ...saved } }) => {
    const budget = ofProject({ ...saved, project: { id: projectId, name: 'Garden' } });
    kept = [budget];
    return budget;
  });
  answer(usage.removeProjectBudget, () => {
    kept = [];
  });
}

test('lists the budgets of projects beside the others, changes and removes them', async () => {
  open('/analytics?tab=budgets', {
    answers() {
      serveBudgets([ofProject()]);
      answer(usage.budgets, [general]);
    },
  });
  await expectText(card, /All requests.*Project Garden.*Warning.*\$9\.00 of \$10\.00.*90%/s);
  await card.getByRole('button', { name: 'Change budget for the project Garden' }).click();
  await expectText(dialog, 'For Garden');
  await dialog.getByLabelText('Monthly amount (USD)').fill('20');
  await dialog.getByRole('button', { name: 'Save budget' }).click();
  await expectToast('Budget saved', '$20.00 a month for Garden.');
  expect(requestsTo(usage.saveProjectBudget)[0]?.body).toMatchObject({ projectId: 1, amountUsd: 20, hardStop: true });
  await card.getByRole('button', { name: 'Remove budget for the project Garden' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expectToast('Budget removed', 'The budget for the project Garden has been removed.');
  await expectHidden(card.getByText('Garden'));
  expect(requestsTo(usage.removeBudget)).toEqual([]);
});

test('offers assistants and projects that have no budget', async () => {
  open('/analytics?tab=budgets', {
    answers() {
      serveProjects([project(1, { name: 'Garden' }), project(2, { name: 'Taxes' })]);
      serveBudgets([ofProject()]);
    },
  });
  await card.getByRole('button', { name: 'Add budget' }).click();
  const scope = dialog.getByLabelText('For', { exact: true });
  await expectText(scope, /^All requestsTaxes$/);
  await scope.selectOptions('Taxes');
  await dialog.getByLabelText('Monthly amount (USD)').fill('5');
  await dialog.getByRole('button', { name: 'Save budget' }).click();
  await expect.poll(() => requestsTo(usage.saveProjectBudget)[0]?.body).toMatchObject({ projectId: 2, amountUsd: 5 });
});

test('sets and shows the budget on the page of the project', async () => {
  open('/projects/1', {
    answers() {
      serveProjects([project(1, { name: 'Garden' })]);
      serveBudgets();
    },
  });
  const about = page.getByRole('region', { name: 'About this project' });
  await about.getByRole('button', { name: 'Set a budget' }).click();
  await expectText(dialog, 'For Garden');
  await dialog.getByLabelText('Monthly amount (USD)').fill('10');
  await dialog.getByRole('button', { name: 'Save budget' }).click();
  await expectText(about, /\$9\.00 of \$10\.00/);
  expect(requestsTo(usage.saveProjectBudget)[0]?.body).toMatchObject({ projectId: 1, amountUsd: 10 });
  await expect.element(about.getByRole('button', { name: 'Change budget for the project Garden' })).toBeVisible();
  expect(address()).toBe('/projects/1');
});

test('warns in the conversations of the project, and on Home', async () => {
  const answers = () => {
    serveThreads([thread(1, { projectId: 1 }), thread(2)], exchange(1, { text: 'Hello' }, { text: 'Hello!' }));
    serveBudgets([ofProject({ spentUsd: 11, state: 'exceeded' })]);
  };
  open('/chat/1', { answers });
  const notice = page.getByText('This month’s budget for the project Garden is used up: $11.00 of $10.00.');
  await expect.element(notice).toBeVisible();
  await page.getByRole('link', { name: 'Conversation 2' }).click();
  await expect.poll(address).toBe('/chat/2');
  await expectHidden(notice);
  await page.getByRole('link', { name: 'Home' }).click();
  await expect.element(page.getByText('The project Garden has cost $11.00 of $10.00 of the budget')).toBeVisible();
});
