import {
  type Connection,
  type ConnectionPreset,
  connections,
  type OfferedConnection,
} from '@roster/contracts/connections/connections';
import { describe, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate } from '#web/testing/new-account.ts';
import { expectCount, expectHidden, expectText, expectToast, press } from '#web/testing/page.ts';

const connection = (id: number, more: Partial<Connection> = {}): Connection => ({
  ...{ id, preset: 'groq', name: `Provider ${id}`, baseUrl: 'https://api.groq.com/openai/v1', hasKey: true },
  ...{
    keyLast4: '4321',
    headerNames: [],
    api: 'auto',
    firstTokenSeconds: null,
    isPaused: false,
    notice: null,
    checks: [],
  },
  ...{ checkedAt: null, createdAt: fixtureDate },
  ...more,
});

const preset = (id: ConnectionPreset['id'], name: string, more: Partial<ConnectionPreset> = {}): ConnectionPreset => ({
  ...{ id, name, baseUrl: 'https://api.groq.com/openai/v1', example: null, key: 'needed', allowed: true, notice: null },
  ...{
    keyPage: 'https://console.groq.com/keys',
    keyHeader: 'authorization',
    serves: [],
    asOf: '2026-11-28',
    source: '',
  },
  ...more,
});
const ollama = preset('ollama', 'Ollama', { baseUrl: 'http://127.0.0.1:11434/v1', key: 'optional', keyPage: null });
const other = preset('other', 'Another address', { baseUrl: null, example: 'https://api.example.com/v1' });

const rows = page.getByRole('list', { name: 'Connections' }).getByRole('listitem');

function openConnections(list: Connection[], policy: 'listed' | 'off' = 'listed', offered: OfferedConnection[] = []) {
  open('/settings?tab=api-keys', {
    answers() {
      let kept = list;
      answer(connections.list, () => ({ policy, connections: kept, offered }));
      answer(connections.presets, { policy, presets: [preset('groq', 'Groq'), ollama, other] });
      answer(connections.local, { servers: [{ preset: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: 3 }] });
      answer(connections.refusals, { refusals: [] });
      answer(connections.uses, { assistants: 2, conversations: 1, projects: 0, testSets: 0, trainings: 1 });
      answer(connections.create, ({ body }) => {
        const made = connection(9, { name: body.name, preset: body.preset });
        kept = [...kept, made];
        return made;
      });
      answer(connections.change, ({ params, body: { position } }) => {
        const moved = kept.find(({ id }) => id === params.id);
        if (!moved) return refusal('not_found', 'Gone');
        const others = kept.filter(({ id }) => id !== params.id);
        if (position !== undefined) kept = others.toSpliced(position, 0, moved);
        return moved;
      });
      answer(connections.remove, ({ params }) => {
        kept = kept.filter(({ id }) => id !== params.id);
      });
    },
  });
}

describe('connections', () => {
  test('show address, key ending, state and notice of each', async () => {
    openConnections([
      connection(1, { checks: [{ ability: 'answer', result: 'works', reason: null }], checkedAt: fixtureDate }),
      connection(2, { isPaused: true, hasKey: false, keyLast4: null }),
      connection(3, { notice: 'The provider could not be reached.' }),
    ]);
    await expectText(rows.nth(0), /Provider 1.*Verified.*https:\/\/api\.groq\.com\/openai\/v1.*ends in 4321/);
    await expectText(rows.nth(1), /Paused.*No key/);
    await expectText(rows.nth(2), /Not verified.*The provider could not be reached\./);
  });

  test('are added from a provider that is searched for', async () => {
    openConnections([]);
    await page.getByRole('button', { name: 'Add Connection' }).click();
    await page.getByRole('searchbox', { name: 'Search providers' }).fill('gro');
    await expectCount(page.getByRole('list', { name: 'Providers' }).getByRole('listitem'), 1);
    await page.getByRole('button', { name: /^Groq/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect Groq' });
    await expect
      .element(dialog.getByRole('link', { name: 'Get a key' }))
      .toHaveAttribute('href', 'https://console.groq.com/keys');
    await dialog.getByRole('button', { name: 'Add Connection' }).click();
    await expectText(dialog.getByRole('alert'), 'Enter a key');
    answer(connections.create, refusal('key_rejected', 'Invalid API Key.', { key: 'Invalid API Key.' }));
    await dialog.getByRole('textbox', { name: 'API key' }).fill('gsk_wrong');
    await dialog.getByRole('button', { name: 'Add Connection' }).click();
    await expect.element(dialog.getByText('Invalid API Key.').first()).toBeVisible();
    answer(connections.create, connection(9, { name: 'Groq' }));
    await dialog.getByRole('button', { name: 'Add Connection' }).click();
    await expectToast('Connection added', 'You can now use the models of “Groq”.');
  });

  test('offer the servers that run on the machine', async () => {
    openConnections([]);
    await page.getByRole('button', { name: 'Add Connection' }).click();
    await page
      .getByRole('region', { name: 'On this machine' })
      .getByRole('button', { name: /Ollama.*3 models/ })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Connect Ollama' });
    await expect.element(dialog.getByRole('textbox', { name: 'Base URL' })).toHaveValue('http://127.0.0.1:11434/v1');
    await dialog.getByRole('button', { name: 'Add Connection' }).click();
    await expectText(rows.nth(0), 'Ollama');
    expect(requestsTo(connections.create).at(-1)).toMatchObject({
      body: { preset: 'ollama', name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', firstTokenSeconds: null },
    });
  });

  test('are reordered with the arrow keys', async () => {
    openConnections([connection(1), connection(2)]);
    await expectText(rows.nth(0), 'Provider 1');
    await userEvent.click(page.getByRole('button', { name: 'Move Provider 2 with the arrow keys' }));
    await press('ArrowUp');
    await expectText(rows.nth(0), 'Provider 2');
    await expect.element(page.getByText('Provider 2 is now 1 of 2.')).toBeInTheDocument();
  });

  test('say what uses them before they are removed', async () => {
    openConnections([connection(1)]);
    await page.getByRole('button', { name: 'Actions for Provider 1' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = page.getByRole('alertdialog');
    await expectText(
      dialog,
      /Used by 2 assistants and 1 conversation.*1 training at the provider.*Conversations stay readable/,
    );
    await dialog.getByRole('button', { name: 'Remove Connection' }).click();
    await expectToast('Connection removed');
    await expect.element(page.getByText('No connections yet.')).toBeVisible();
  });

  test('show what a check found, with reasons', async () => {
    const checks = [
      { ability: 'tools', result: 'fails', reason: 'talker answered without calling the tool.' },
      { ability: 'answer', result: 'works', reason: 'talker' },
    ] as const;
    openConnections([connection(1)]);
    answer(connections.check, () => {
      answer(connections.list, {
        policy: 'listed',
        connections: [connection(1, { checks: [...checks] })],
        offered: [],
      });
      return connection(1, { checks: [...checks] });
    });
    await page.getByRole('button', { name: 'Check Provider 1' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Model to try' }).fill('talker');
    await dialog.getByRole('button', { name: 'Check', exact: true }).click();
    await expectText(dialog.getByRole('row', { name: /Tool calls/ }), /Does not work.*without calling the tool/);
    expect(requestsTo(connections.check).at(-1)).toMatchObject({ body: { model: 'talker' } });
  });

  test('show what the provider refused lately, and ask again', async () => {
    openConnections([connection(1)]);
    const refused = { model: 'talker', what: 'temperature', learnedAt: fixtureDate, askAt: fixtureDate };
    answer(connections.refusals, { refusals: [refused, { ...refused, model: null, what: 'responses' }] });
    answer(connections.askAgain, () => {
      answer(connections.refusals, { refusals: [] });
    });
    await page.getByRole('button', { name: 'Check Provider 1' }).click();
    const section = page.getByRole('region', { name: 'Recently refused' });
    await expectText(section.getByRole('listitem').nth(0), /temperature for talker.*Next retry/);
    await expectText(section.getByRole('listitem').nth(1), 'responses');
    await section.getByRole('button', { name: 'Ask Again' }).click();
    await expect.element(section).not.toBeInTheDocument();
  });

  test('lose their key only on request', async () => {
    openConnections([connection(1)]);
    await page.getByRole('button', { name: 'Actions for Provider 1' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit Connection' });
    await dialog.getByLabelText('Remove the key').click();
    await expectHidden(dialog.getByRole('textbox', { name: 'API key' }));
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expect.poll(() => requestsTo(connections.change).at(-1)).toMatchObject({ body: { key: null } });
  });

  test('send headers of their own, whose values stay until others are typed', async () => {
    openConnections([connection(1, { headerNames: ['x-portkey-config', 'HTTP-Referer'] })]);
    await expectText(rows.nth(0), /Headers x-portkey-config, HTTP-Referer/);
    await page.getByRole('button', { name: 'Actions for Provider 1' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit Connection' });
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expect.poll(() => requestsTo(connections.change)).toHaveLength(1);
    expect(requestsTo(connections.change)[0]?.body).not.toHaveProperty('headers');

    await page.getByRole('button', { name: 'Actions for Provider 1' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog.getByRole('button', { name: 'Remove HTTP-Referer' }).click();
    await dialog.getByRole('button', { name: 'Add Header' }).click();
    await dialog.getByLabelText('Name of header 2').fill('Authorization');
    await dialog.getByLabelText('Value of header 2', { exact: true }).fill('secret');
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expectText(dialog.getByRole('alert'), 'Authorization is for the key: enter it as the API key');
    await dialog.getByLabelText('Name of header 2').fill('x-portkey-provider');
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expect
      .poll(() => requestsTo(connections.change).at(-1)?.body.headers)
      .toEqual([{ name: 'x-portkey-config' }, { name: 'x-portkey-provider', value: 'secret' }]);
  });

  test('are paused, renamed and given another key', async () => {
    openConnections([connection(1)]);
    await page.getByRole('button', { name: 'Actions for Provider 1' }).click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await expect.poll(() => requestsTo(connections.change).at(-1)?.body).toEqual({ isPaused: true });
    await page.getByRole('button', { name: 'Actions for Provider 1' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit Connection' });
    await dialog.getByRole('textbox', { name: 'Name' }).first().fill('a/b');
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expectText(dialog.getByRole('alert'), 'Name cannot contain /');
    await dialog.getByRole('textbox', { name: 'Name' }).first().fill('Cellar');
    await dialog.getByRole('textbox', { name: 'API key' }).fill('gsk_another');
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expect
      .poll(() => requestsTo(connections.change).at(-1)?.body)
      .toMatchObject({ name: 'Cellar', key: 'gsk_another', firstTokenSeconds: null });
  });

  test('cannot be added where they are turned off, which the page says', async () => {
    openConnections([connection(1)], 'off');
    await expect.element(page.getByText('Connections are turned off')).toBeVisible();
    await expectText(rows.nth(0), 'Off');
    await expectCount(page.getByRole('button', { name: 'Add Connection' }), 0);
  });

  test('are shown beside those of an administrator, which cannot be changed', async () => {
    const offered = { id: 9, preset: 'openai', name: 'Team', monthlyUsd: 5, spentUsd: 1.5, isUsedUp: false } as const;
    openConnections([], 'listed', [offered, { ...offered, id: 10, name: 'Spent', monthlyUsd: null, isUsedUp: true }]);
    const list = page.getByRole('list', { name: 'Offered by your administrator' });
    await expectText(list.getByRole('listitem').nth(0), /Team.*\$3\.50 of \$5\.00 left this month/);
    await expectText(list.getByRole('listitem').nth(1), /Budget used up.*\$1\.50 this month.*shared budget/);
    await expectCount(list.getByRole('button'), 0);
  });
});
