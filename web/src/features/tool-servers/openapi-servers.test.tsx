import { type Operations, openApiServers } from '@roster/contracts/tool-servers/openapi-servers';
import { type Tool, type ToolServer, toolServers } from '@roster/contracts/tool-servers/tool-servers';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate, person } from '#web/testing/new-account.ts';
import { expectCount, expectHidden, expectText } from '#web/testing/page.ts';

const pasted = { descriptionUrl: null, baseUrl: null };
const described = (more: Partial<ToolServer> = {}): ToolServer => ({
  id: 1,
  name: 'Notes',
  kind: 'openapi',
  url: 'https://notes.example.org/v1',
  openApi: pasted,
  isOwn: true,
  isOffered: false,
  isOn: true,
  auth: { type: 'query', name: 'api_key', last4: '4321' },
  signIn: null,
  state: 'ready',
  notice: '3 operations were left out. The list of its tools says why.',
  lookedAt: fixtureDate,
  tools: 1,
  createdAt: fixtureDate,
  ...more,
});
const tool: Tool = {
  name: 'listNotes',
  title: 'List notes',
  description: 'List notes\n\nGET /notes',
  inputSchema: { type: 'object' },
  isReadOnly: true,
  digest: 'a'.repeat(64),
};
const rows = page.getByRole('list', { name: 'Tool servers' }).getByRole('listitem');

function openTools(given: ToolServer[], operations: Operations = { operations: null, chosen: null }) {
  open('/settings?tab=tools', {
    user: { ...person, role: 'Editor' },
    answers() {
      answer(toolServers.list, given);
      answer(toolServers.tools, {
        tools: [tool],
        leftOut: [
          { operation: 'POST /files', reason: 'its body is neither JSON nor a plain form, but multipart/form-data' },
        ],
        leftOutCount: 3,
        usedBy: [],
        usedByCount: 0,
        otherPeople: 0,
      });
      answer(openApiServers.operations, operations);
      answer(openApiServers.description, { text: 'openapi: 3.1.0' });
    },
  });
}

async function openNew() {
  openTools([]);
  await page.getByRole('button', { name: 'Add Server' }).click();
  await page.getByRole('menuitem', { name: 'Tools from an OpenAPI description' }).click();
  return page.getByRole('dialog', { name: 'Add Tools from an OpenAPI Description' });
}

async function openEdit(server: ToolServer) {
  openTools([server]);
  await page.getByRole('button', { name: 'Actions for Notes' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  return page.getByRole('dialog', { name: 'Edit Tool Server' });
}

test('sends a pasted description with its query key once the form is complete', async () => {
  const dialog = await openNew();
  answer(openApiServers.create, described());
  const add = dialog.getByRole('button', { name: 'Add Server' });
  await dialog.getByLabelText('Access').selectOptions('With a key in the query');
  await add.click();
  for (const problem of ['Name is required', 'Paste the description', 'The value is required'])
    await expect.element(dialog.getByText(problem)).toBeVisible();
  expect(requestsTo(openApiServers.create)).toEqual([]);
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Notes');
  await dialog.getByLabelText('Text').fill('openapi: 3.1.0');
  await dialog.getByLabelText('Name in the query').fill('key');
  await dialog.getByLabelText(/^Value/).fill('secret');
  await add.click();
  await expectHidden(dialog);
  expect(requestsTo(openApiServers.create).map(({ body }) => body)).toEqual([
    {
      name: 'Notes',
      description: { type: 'pasted', text: 'openapi: 3.1.0' },
      baseUrl: null,
      auth: { type: 'query', name: 'key', value: 'secret' },
      isOffered: false,
    },
  ]);
});

test('shows server errors at the description and the base URL', async () => {
  const dialog = await openNew();
  const message = 'Line 3 cannot be read as YAML.';
  answer(openApiServers.create, refusal('invalid_input', message, { 'description.text': message }));
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Notes');
  await dialog.getByLabelText('Text').fill('swagger: "2.0"');
  await dialog.getByRole('button', { name: 'Add Server' }).click();
  await expect.element(dialog.getByLabelText('Text')).toHaveAccessibleDescription(message);
  const missing = 'The description contains no base URL.';
  answer(openApiServers.create, refusal('invalid_input', missing, { baseUrl: missing }));
  await dialog.getByRole('radio', { name: /Load from a URL/ }).click();
  await dialog.getByLabelText('Description URL').fill('https://notes.example.org/openapi.json');
  await dialog.getByRole('button', { name: 'Add Server' }).click();
  await expect.element(dialog.getByLabelText('Base URL')).toHaveAccessibleDescription(missing);
  expect(requestsTo(openApiServers.create).at(-1)?.body.description).toEqual({
    type: 'address',
    url: 'https://notes.example.org/openapi.json',
  });
});

test('sends only changes, and keeps the secret if none is typed', async () => {
  const dialog = await openEdit(described());
  answer(openApiServers.update, described());
  await expect.element(dialog.getByLabelText('Text')).toHaveValue('openapi: 3.1.0');
  await expect.element(dialog.getByText('Leave empty to keep the current one (…4321).')).toBeVisible();
  await dialog.getByLabelText('Base URL').fill('https://notes.example.org/v2');
  await dialog.getByRole('button', { name: 'Save Changes' }).click();
  await expectHidden(dialog);
  expect(requestsTo(openApiServers.update).map(({ body }) => body)).toEqual([
    { name: 'Notes', isOffered: false, baseUrl: 'https://notes.example.org/v2' },
  ]);
});

test('shows why a description failed to load, and retries', async () => {
  openTools([described()]);
  answer(openApiServers.description, refusal('unavailable', 'The database is being moved.'));
  await page.getByRole('button', { name: 'Actions for Notes' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit Tool Server' });
  await expectText(dialog, 'The database is being moved.');
  answer(openApiServers.description, { text: 'openapi: 3.1.0' });
  await dialog.getByRole('button', { name: 'Try Again' }).click();
  await expect.element(dialog.getByLabelText('Text')).toHaveValue('openapi: 3.1.0');
});

test('lists the kind and omitted tools, and does not refetch a pasted description', async () => {
  const address = { descriptionUrl: 'https://notes.example.org/openapi.json', baseUrl: null };
  openTools([described(), described({ id: 2, name: 'Other', openApi: address })]);
  await expectText(rows.nth(0), /OpenAPI.*api_key …4321.*3 operations were left out/);
  await page.getByRole('button', { name: 'Actions for Notes' }).click();
  await expect.element(page.getByRole('menuitem', { name: 'Edit' })).toBeVisible();
  await expectCount(page.getByRole('menuitem', { name: /again/ }), 0);
  await userEvent.keyboard('{Escape}');
  await page.getByRole('button', { name: '1 tool of Notes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tools of “Notes”' });
  await dialog.getByText('3 operations were left out').click();
  await expectText(dialog.getByRole('list', { name: 'Left out' }), /POST \/files.*its body is neither JSON/);
  await expect.element(dialog.getByText('And 2 more not listed.')).toBeVisible();
});

const many: Operations = {
  operations: Array.from({ length: 700 }, (_, at) => ({
    operation: `GET /things/${at}`,
    summary: `Thing number ${at}`,
    tags: [at < 20 ? 'Small' : 'Large'],
  })),
  chosen: null,
};

async function openOperations(operations: Operations, server = described()) {
  openTools([server], operations);
  await page.getByRole('button', { name: 'Actions for Notes' }).click();
  await page.getByRole('menuitem', { name: 'Choose operations' }).click();
  return page.getByRole('dialog', { name: 'Operations of “Notes”' });
}

test('selects operations by search and tag, and counts what is left', async () => {
  const dialog = await openOperations(many);
  await expectText(dialog, '500 of at most 500 chosen.');
  await expectText(dialog, 'And 400 more. Search or choose a tag to see them.');
  await dialog.getByRole('button', { name: 'Select All Found', exact: true }).click();
  await expectText(dialog, '700 of at most 500 chosen. Remove 200 of them.');
  await dialog.getByRole('button', { name: 'Deselect All Found' }).click();
  await expectText(dialog, '0 of at most 500 chosen. Choose at least one operation.');
  await dialog.getByLabelText('Tag').selectOptions('Small');
  await dialog.getByLabelText('Search operations').fill('number 1');
  await expectText(dialog, '11 operations found');
  await dialog.getByRole('button', { name: 'Select All Found', exact: true }).click();
  await dialog.getByRole('checkbox', { name: 'GET /things/19' }).click();
  await expectText(dialog, '10 of at most 500 chosen.');
  answer(openApiServers.chooseOperations, described());
  await dialog.getByRole('button', { name: 'Save Choice' }).click();
  await expectHidden(dialog);
  const names = [1, 10, 11, 12, 13, 14, 15, 16, 17, 18].map((at) => `GET /things/${at}`);
  expect(requestsTo(openApiServers.chooseOperations).map(({ body }) => body)).toEqual([{ operations: names }]);
});

test('lists selected operations missing from the description', async () => {
  const dialog = await openOperations({ ...many, chosen: ['GET /things/3', 'GET /gone'] });
  await expectText(dialog, 'No longer in the description: 1 chosen operation');
  await expectText(dialog, 'GET /gone');
  await expectText(dialog, '1 of at most 500 chosen.');
});

test('rereads a description from before operations could be selected', async () => {
  const dialog = await openOperations({ operations: null, chosen: null });
  answer(toolServers.refresh, described({ state: 'waiting' }));
  await dialog.getByRole('button', { name: 'Refresh Description' }).click();
  await expect.poll(() => requestsTo(toolServers.refresh).length).toBe(1);
});

test('fits a phone, with the tags below the search', async () => {
  await page.viewport(390, 844);
  const dialog = await openOperations(many);
  const search = dialog.getByLabelText('Search operations').element().getBoundingClientRect();
  const tags = dialog.getByLabelText('Tag').element().getBoundingClientRect();
  expect([tags.left, tags.width]).toEqual([search.left, search.width]);
  expect(tags.top).toBeGreaterThanOrEqual(search.bottom);
});
