import { connections } from '@roster/contracts/connections/connections';
import { type ConnectionOffer, connectionOffers } from '@roster/contracts/connections/offers';
import { type ManagedUser, users } from '@roster/contracts/users';
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate, person } from '#web/testing/new-account.ts';
import { expectCount, expectText, expectToast } from '#web/testing/page.ts';

const offer = (more: Partial<ConnectionOffer> = {}): ConnectionOffer => ({
  ...{ id: 9, preset: 'groq', name: 'Team', baseUrl: 'https://api.groq.com/openai/v1', hasKey: true },
  ...{
    keyLast4: '4321',
    headerNames: [],
    api: 'auto',
    firstTokenSeconds: null,
    isPaused: false,
    notice: null,
    checks: [],
  },
  ...{ checkedAt: null, createdAt: fixtureDate, audience: 'everybody', people: [] },
  ...{ monthlyUsdPerPerson: 5, monthlyUsdTotal: null, spentUsd: 12.5 },
  ...more,
});
const bob = { id: 3, name: 'Bob', email: 'bob@example.org' };
const managed: ManagedUser = {
  ...{ ...bob, role: 'Viewer', status: 'Active', lastActive: null, hasPassword: true, emailVerified: true },
  ...{ secondFactor: false, accessTokens: 0, createdAt: fixtureDate },
};

const rows = page.getByRole('list', { name: 'Offered connections' }).getByRole('listitem');

function openOffers(list: ConnectionOffer[]) {
  open('/users?tab=connections', {
    user: { ...person, role: 'Admin' },
    answers() {
      answer(connectionOffers.refusals, { refusals: [] });
      answer(users.summary, { total: 1, active: 1, administrators: 1, recent: 1 });
      answer(connectionOffers.list, { offers: list });
      answer(connectionOffers.change, () => offer());
      answer(connections.local, { servers: [] });
      answer(connections.presets, {
        policy: 'listed',
        presets: [
          {
            ...{ id: 'groq', name: 'Groq', baseUrl: 'https://api.groq.com/openai/v1', example: null, key: 'needed' },
            ...{ allowed: true, notice: null, keyPage: null, keyHeader: 'authorization', serves: [] },
            ...{ asOf: '2026-11-28', source: '' },
          },
        ],
      });
    },
  });
}

async function choose(action: string) {
  await page.getByRole('button', { name: 'Actions for Team' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

describe('offered connections', () => {
  test('are made from a preset, with people and budgets', async () => {
    openOffers([]);
    answer(connectionOffers.create, offer());
    answer(users.list, {
      items: [managed],
      nextCursor: null,
    });
    await page.getByRole('button', { name: 'Offer Connection' }).click();
    await page.getByRole('button', { name: /Groq/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Offer Groq' });
    await dialog.getByRole('textbox', { name: 'API key' }).fill('gsk_1234567890');
    await dialog.getByRole('radio', { name: 'Chosen people' }).click();
    await dialog.getByRole('searchbox', { name: 'People' }).fill('bo');
    await dialog.getByRole('button', { name: 'Add Bob (bob@example.org)' }).click();
    await dialog.getByLabelText('Monthly budget for each person (USD)').fill('none');
    await dialog.getByRole('button', { name: 'Offer Connection' }).click();
    await expect.element(dialog.getByText('Enter an amount from $0.01')).toBeVisible();
    await dialog.getByLabelText('Monthly budget for each person (USD)').fill('5');
    await dialog.getByRole('button', { name: 'Offer Connection' }).click();
    await expectToast('Connection offered');
    expect(requestsTo(connectionOffers.create).at(-1)).toMatchObject({
      body: {
        ...{ preset: 'groq', name: 'Groq', key: 'gsk_1234567890', audience: 'chosen', people: [3] },
        ...{ monthlyUsdPerPerson: 5, monthlyUsdTotal: null },
      },
    });
  });

  test('say who may use them and what is left, and are paused, changed and removed', async () => {
    openOffers([offer()]);
    await expectText(rows.nth(0), /For everybody · Budget \$5\.00 a person · \$12\.50 spent this month/);
    await choose('Pause');
    await expect.poll(() => requestsTo(connectionOffers.change).at(-1)).toMatchObject({ body: { isPaused: true } });
    await choose('Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit Offered Connection' });
    await dialog.getByLabelText('Monthly budget for all (USD)').fill('100');
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expect
      .poll(() => requestsTo(connectionOffers.change).at(-1))
      .toMatchObject({ body: { monthlyUsdPerPerson: 5, monthlyUsdTotal: 100, audience: 'everybody' } });
    answer(connectionOffers.uses, {
      assistants: 1,
      conversations: 4,
      projects: 0,
      testSets: 0,
      trainings: 0,
      people: 2,
    });
    answer(connectionOffers.remove, undefined);
    await choose('Remove');
    const question = page.getByRole('alertdialog');
    await expectText(question, /1 assistant and 4 conversations.*2 people used it this month/);
    await question.getByRole('button', { name: 'Remove Connection' }).click();
    await expectToast('Connection removed');
  });

  test('show what each person and model cost, by month', async () => {
    openOffers([offer()]);
    const sum = { requests: 3, costUsd: 12.5, unpricedRequests: 0 };
    answer(connectionOffers.spending, ({ query }) => ({
      month: query.month ?? '2026-11',
      total: { ...sum, unpricedRequests: 1 },
      people: [
        { person: bob, ...sum },
        { person: null, ...sum },
      ],
      models: [{ model: 'llama-3.3-70b', ...sum }],
    }));
    await page.getByRole('button', { name: 'Spending of Team' }).click();
    const dialog = page.getByRole('dialog', { name: /Spending of/ });
    await expectText(dialog, /\$12\.50 for 3 requests, 1 with no known price/);
    await expectText(
      dialog.getByRole('table', { name: 'By person' }),
      /Bob.*bob@example.org.*\$12\.50.*Closed accounts/,
    );
    await expectText(dialog.getByRole('table', { name: 'By model' }), /llama-3\.3-70b/);
    await dialog.getByRole('button', { name: 'Previous month' }).click();
    await expect.poll(() => requestsTo(connectionOffers.spending).length).toBe(2);
  });

  test('show the provider’s own words when a key is refused', async () => {
    openOffers([offer()]);
    answer(connectionOffers.change, refusal('key_rejected', 'Invalid API Key', { key: 'Invalid API Key' }));
    await choose('Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit Offered Connection' });
    await dialog.getByRole('textbox', { name: 'API key' }).fill('gsk_wrong');
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expect.element(dialog.getByText('Invalid API Key').first()).toBeVisible();
  });

  test('lose their key on request', async () => {
    openOffers([offer()]);
    await choose('Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit Offered Connection' });
    await dialog.getByRole('checkbox', { name: 'Remove the key' }).click();
    await expectCount(dialog.getByRole('textbox', { name: 'API key' }), 0);
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expect.poll(() => requestsTo(connectionOffers.change).at(-1)).toMatchObject({ body: { key: null } });
  });

  test('say what was refused lately, and ask again on request', async () => {
    openOffers([offer()]);
    const refused = { model: 'llama', what: 'temperature', learnedAt: fixtureDate, askAt: '2999-01-01T00:00:00.000Z' };
    answer(connectionOffers.refusals, { refusals: [refused] });
    answer(connectionOffers.askAgain, undefined);
    await page.getByRole('button', { name: 'Check Team' }).click();
    const section = page.getByRole('region', { name: 'Recently refused' });
    await expectText(section, /temperature for llama/);
    answer(connectionOffers.refusals, { refusals: [] });
    await section.getByRole('button', { name: 'Ask Again' }).click();
    await expectCount(section, 0);
    expect(requestsTo(connectionOffers.askAgain)).toHaveLength(1);
  });
});
