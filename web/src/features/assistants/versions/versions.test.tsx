import {
  type AssistantSettings,
  assistants,
  AssistantSettings as Settings,
} from '@roster/contracts/assistants/assistants';
import {
  type AssistantVersion,
  type AssistantVersionDetail,
  assistantVersions,
} from '@roster/contracts/assistants/versions';
import { models } from '@roster/contracts/models/models';
import { toolServers } from '@roster/contracts/tool-servers/tool-servers';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, ListPage, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { oneAnswer } from '#web/testing/conversations.ts';
import { fixtureDate, model, modelList, person } from '#web/testing/new-account.ts';
import { expectCount, expectHidden, expectText, expectTexts, expectToast } from '#web/testing/page.ts';

const dialog = page.getByRole('dialog', { name: 'Versions of Tutor' });
const rows = dialog.getByRole('list', { name: 'Versions' }).getByRole('listitem');
const field = (name: string) => dialog.getByRole('region', { name, exact: true });
const restore = dialog.getByRole('button', { name: 'Restore this version' });

const listed = (number: number, more: Partial<AssistantVersion> = {}): AssistantVersion => ({
  number,
  origin: { kind: 'person' },
  changed: ['instructions'],
  createdAt: fixtureDate,
  ...more,
});

type Given = { settings?: Partial<AssistantSettings> } & Partial<Omit<AssistantVersionDetail, 'settings'>>;
const whole = (number: number, { settings, ...more }: Given = {}): AssistantVersionDetail => ({
  ...listed(number),
  settings: { ...Settings.parse(assistant(1)), ...settings },
  files: [],
  chosenTools: [],
  programFields: null,
  ...more,
});

const lines = (word: string) => `Be ${word}.\n${Array.from({ length: 9 }, (_, index) => `Rule ${index}`).join('\n')}`;
const known = [
  whole(1, {
    settings: { instructions: lines('patient'), model: 'gpt-3-gone' },
    files: [{ fileId: 1, filename: 'lost.txt', isThere: false }],
    chosenTools: [{ serverId: 1, serverName: 'Wiki', name: 'read_note', approval: 'once', isThere: true }],
  }),
  whole(2, { settings: { instructions: lines('brief'), model: 'gpt-3-gone' } }),
  whole(3, { settings: { instructions: lines('brief'), temperature: 0.2 }, programFields: { top_p: 0.5 } }),
  whole(4, { settings: { instructions: lines('patient') } }),
];

function openVersions(search = '', role: 'Editor' | 'Viewer' = 'Editor') {
  open(`/settings?tab=assistants&edit=1${search}`, {
    user: { ...person, role },
    answers() {
      answer(models.list, modelList(model('gpt-4o')));
      answer(assistants.files, []);
      answer(toolServers.list, []);
      answer(toolServers.chosen, []);
      serveAssistants(assistant(1, { version: 3, instructions: lines('brief'), temperature: 0.2 }));
      answer(assistantVersions.list, ({ query }) =>
        query.cursor === undefined
          ? new ListPage(
              [
                listed(3, { origin: { kind: 'program', name: 'Nightly' }, changed: ['temperature', 'programFields'] }),
                listed(2, { origin: { kind: 'restore', number: 1 } }),
              ],
              '2',
            )
          : [listed(1, { origin: { kind: 'before' }, changed: [] })],
      );
      answer(assistantVersions.get, ({ params }) => known[params.number - 1] ?? Response.error());
    },
  });
}
const see = () => page.getByRole('button', { name: 'See versions' }).click();

test('lists versions by page with author and change, and compares the newest', async () => {
  openVersions();
  await see();
  await expectTexts(rows, [
    /^Version 3 Current By the program Nightly, .* Temperature, Set by programs$/,
    /^Version 2 Version 1 restored, .* Instructions$/,
  ]);
  await expectTexts(field('Temperature').getByRole('deletion'), ['Version 2 0.7']);
  await expectTexts(field('Temperature').getByRole('insertion'), ['Version 3 0.2']);
  await expectText(field('Set by programs'), '"top_p": 0.5');
  await expectHidden(restore);
  await dialog.getByRole('button', { name: 'Load more versions' }).click();
  await expectCount(rows, 3);
  await rows.last().getByRole('button').click();
  await expectText(field('Connected tools'), 'Wiki: read_note, asks once');
  await expectText(field('Files'), 'lost.txt (deleted)');
});

test('compares instructions by line and word, with unchanged parts shortened', async () => {
  openVersions('&version=1');
  await expectText(dialog.getByRole('heading', { name: 'Version 1' }), 'Version 1');
  const instructions = field('Instructions');
  await expectText(instructions.getByRole('deletion'), 'Be patient.');
  await expectText(instructions.getByText('patient', { exact: true }), 'patient');
  await expectText(instructions.getByRole('insertion'), 'Be brief.');
  await expect.element(instructions.getByText('5 unchanged lines').first()).toBeVisible();
  await expectText(field('Model').getByRole('insertion'), 'gpt-4o');
  await dialog.getByRole('radio', { name: 'Changes in this version' }).click();
  await expectCount(instructions.getByRole('deletion'), 0);
});

test('explains what restoring undoes and cannot restore, then updates the form', async () => {
  openVersions('&version=1');
  const restored = assistant(1, { version: 4, instructions: lines('patient') });
  answer(assistantVersions.restore, () => {
    serveAssistants(restored);
    return { assistant: restored, notes: ['The file lost.txt was deleted.'] };
  });
  await restore.click();
  const question = page.getByRole('alertdialog', { name: 'Restore version 1?' });
  await expectText(question, 'This undoes later changes to: Model, Temperature, Instructions, Files');
  await expectTexts(question.getByRole('listitem'), [
    'Your API key cannot use the model gpt-3-gone; gpt-4o stays.',
    'The file lost.txt was deleted.',
  ]);
  await question.getByRole('button', { name: 'Restore' }).click();
  await expectToast('Version 1 restored', 'The file lost.txt was deleted.');
  expect(requestsTo(assistantVersions.restore).map(({ params }) => params)).toEqual([{ id: 1, number: 1 }]);
  await expectHidden(dialog);
  await expect.element(page.getByLabelText('Instructions')).toHaveValue(lines('patient'));
  // Keyboard focus returns to the form.
  await userEvent.keyboard('{Escape}');
  await expectHidden(page.getByRole('dialog', { name: 'Edit Assistant' }));
});

test('blocks restoring with unsaved changes and for a Viewer', async () => {
  openVersions();
  await page.getByLabelText('Description').fill('Explains');
  await see();
  await rows.last().getByRole('button').click();
  await expect.element(restore).toHaveAttribute('aria-disabled', 'true');
  openVersions('&version=2', 'Viewer');
  await expect.element(restore).toHaveAttribute('aria-disabled', 'true');
});

test('alternates between list and version on a phone', async () => {
  await page.viewport(390, 844);
  openVersions();
  await see();
  await expectCount(rows, 2);
  await expectHidden(dialog.getByRole('heading', { name: 'Version 2' }));
  await rows.last().getByRole('button').click();
  await expect.element(dialog.getByRole('heading', { name: 'Version 2' })).toBeVisible();
  await expectHidden(rows);
  await dialog.getByRole('button', { name: 'All versions' }).click();
  await expectCount(rows, 2);
});

const chatWith = (version: number, answered: number) =>
  open('/chat/1', {
    answers() {
      serveAssistants(assistant(1, { version }));
      oneAnswer({ text: 'It rains.', answeredBy: { assistantId: 1, version: answered } }, { assistantId: 1 });
    },
  });

test('shows an answer’s version and that a newer one exists', async () => {
  chatWith(4, 3);
  const link = page.getByRole('article', { name: 'Answer' }).getByRole('link', { name: 'version 3' });
  await expect.element(link).toHaveAttribute('href', '/settings?tab=assistants&edit=1&version=3');
  const changed = page.getByText('Tutor has changed since the last answer');
  await expect.element(changed).toBeVisible();
  await expect
    .element(page.getByRole('link', { name: 'See what changed' }))
    .toHaveAttribute('href', '/settings?tab=assistants&edit=1&version=3');
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expectHidden(changed);
  chatWith(4, 3);
  await expect.element(link).toBeVisible();
  await expectHidden(changed);
  chatWith(5, 3);
  await expect.element(changed).toBeVisible();
});

test('shows nothing if the last answer used the current version', async () => {
  chatWith(3, 3);
  await expect.element(page.getByRole('link', { name: 'version 3' })).toBeVisible();
  await expectHidden(page.getByText('has changed since the last answer'));
});
