import { assistants } from '@roster/contracts/assistants/assistants';
import { assistantDrafts } from '@roster/contracts/assistants/drafts';
import { assistantVersions } from '@roster/contracts/assistants/versions';
import { trials } from '@roster/contracts/trials';
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, hold, refusal, requestsTo } from '#web/testing/answers.ts';
import { address } from '#web/testing/app.tsx';
import { nameField as name, openEditor, tutor } from '#web/testing/assistant-editor.ts';
import { fixtureDate } from '#web/testing/new-account.ts';
import { expectHidden, expectText, expectToast, press } from '#web/testing/page.ts';

const instructions = page.getByRole('textbox', { name: 'Instructions' });

describe('the editor of an assistant', () => {
  test('saves only what was changed with Ctrl+S, and discards what was kept', async () => {
    openEditor();
    await instructions.fill('Be brief.');
    await expect.element(page.getByText('Not saved yet')).toBeVisible();
    await press('Control+s');
    await expectToast('Assistant updated');
    expect(requestsTo(assistants.update)).toMatchObject([{ params: { id: 1 }, body: { instructions: 'Be brief.' } }]);
    expect(requestsTo(assistants.update).map(({ body }) => Object.keys(Object(body)))).toEqual([['instructions']]);
    await expect.poll(() => requestsTo(assistantDrafts.remove).length).toBe(1);
    await expectHidden(page.getByText('Not saved yet'));
    expect(address()).toBe('/assistants/1');
  });

  test('keeps what is typed while it is being saved, as a change that is not saved yet', async () => {
    openEditor();
    const reply = hold(assistants.update);
    await name.fill('Tutor for fractions');
    await press('Control+s');
    await expect.poll(() => requestsTo(assistants.update).length).toBe(1);
    await press('Control+s');
    await instructions.fill('Be brief.');
    reply({ ...tutor, name: 'Tutor for fractions', version: 4 });
    await expectToast('Assistant updated');
    await expect.element(instructions).toHaveValue('Be brief.');
    await expect.element(page.getByText('Not saved yet')).toBeVisible();
    answer(assistants.update, { ...tutor, name: 'Tutor for fractions', instructions: 'Be brief.', version: 5 });
    await press('Control+s');
    await expect.poll(() => requestsTo(assistants.update).length).toBe(2);
  });

  test('keeps what is typed on the server, and warns before it is left', async () => {
    openEditor();
    await name.fill('Tutor for fractions');
    await expect
      .poll(() => requestsTo(assistantDrafts.keep).at(-1))
      .toMatchObject({
        query: { assistant: 1 },
        body: { version: 3, values: { name: 'Tutor for fractions' } },
      });
    await page.getByRole('button', { name: 'Cancel' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Discard unsaved changes?' });
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    await expect.element(name).toHaveValue('Tutor for fractions');
  });

  test('restores what was left without saving, and says if the assistant was saved since', async () => {
    const values = { name: 'Half typed', starters: ['New starter'], tags: ['maths'] };
    openEditor('/assistants/1', { assistantId: 1, version: 2, values, savedAt: fixtureDate });
    const notice = page.getByText('The assistant has been saved since then');
    await expect.element(notice).toBeVisible();
    await page.getByRole('button', { name: 'Restore them' }).click();
    await expectHidden(notice);
    await expect.element(name).toHaveValue('Half typed');
    await page.getByText('Conversation starters').click();
    await expect.element(page.getByLabelText('Conversation starters')).toHaveValue('New starter');
    await press('Control+s');
    await expect.poll(() => requestsTo(assistants.update).at(-1)?.body).toEqual(values);
  });

  test('says if the server did not keep it, until it does', async () => {
    openEditor();
    answer(assistantDrafts.keep, refusal('unavailable', 'The database is being moved.'));
    await name.fill('Lost');
    await expect.element(page.getByText('Not saved; the draft could not be stored')).toBeVisible();
    answer(assistantDrafts.keep, undefined);
    await name.fill('Kept');
    await expectHidden(page.getByText('Not saved; the draft could not be stored'));
  });

  test('keeps nothing once all changes are taken back', async () => {
    openEditor();
    await name.fill('Other');
    await expect.poll(() => requestsTo(assistantDrafts.keep).length).toBe(1);
    await name.fill('Tutor');
    await expect.poll(() => requestsTo(assistantDrafts.remove).length).toBe(1);
  });

  test('does not offer what was saved meanwhile', async () => {
    openEditor('/assistants/1', { assistantId: 1, version: 2, values: { name: 'Tutor' }, savedAt: fixtureDate });
    await expect.element(name).toHaveValue('Tutor');
    await expectHidden(page.getByRole('button', { name: 'Restore them' }));
  });

  test('discards the draft, and stores later changes', async () => {
    openEditor('/assistants/1', { assistantId: 1, version: 3, values: { name: 'Old' }, savedAt: fixtureDate });
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => requestsTo(assistantDrafts.remove).length).toBe(1);
    await name.fill('Newer');
    await expect.poll(() => requestsTo(assistantDrafts.keep).length).toBe(1);
  });

  test('holds the usual limit of instructions unless long ones are wanted', async () => {
    openEditor();
    await instructions.fill('x'.repeat(1_501));
    await press('Control+s');
    await expect.element(page.getByText('Instructions cannot exceed 1500 characters')).toBeVisible();
    expect(requestsTo(assistants.update)).toEqual([]);
    const long = page.getByRole('switch', { name: 'Long instructions' });
    await long.click();
    await press('Control+s');
    await expect.poll(() => requestsTo(assistants.update).at(-1)?.body).toMatchObject({ longInstructions: true });
    // The text is too long to go back.
    await expect.element(long).toBeDisabled();
  });

  test('previews Markdown without losing the text', async () => {
    openEditor();
    await instructions.fill('# Rules\n\n- **Be** brief');
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('region', { name: 'Preview of the instructions' });
    await expect.element(preview.getByRole('heading', { name: 'Rules' })).toBeVisible();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await expect.element(instructions).toHaveValue('# Rules\n\n- **Be** brief');
  });

  test('inserts a variable at the cursor, and shows its value there and in the preview', async () => {
    openEditor();
    await instructions.fill('Today is .');
    const box = instructions.element();
    if (!(box instanceof HTMLTextAreaElement)) throw new Error('No text area');
    box.setSelectionRange(9, 9);
    const insert = page.getByRole('button', { name: 'Insert variable' });
    await insert.click();
    const today = new Date().toLocaleDateString('en-US', {
      ...{ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
    } satisfies Intl.DateTimeFormatOptions);
    const item = page.getByRole('menuitem', { name: /\{\{current_date\}\}/ });
    await expectText(item, new RegExp(`Now: ${today}`));
    await item.click();
    await expect.element(instructions).toHaveValue('Today is {{current_date}}.');
    await expect.element(instructions).toHaveFocus();
    await expectText(page.getByText('1 variable, filled in with each message:'), new RegExp(today));
    // The count is of the text as it is written.
    await expect.element(page.getByText('26/1,500')).toBeVisible();
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('region', { name: 'Preview of the instructions' });
    await expect.element(preview.getByText(`Today is ${today}.`)).toBeVisible();
    await expectHidden(insert);
    await press('Control+s');
    await expect
      .poll(() => requestsTo(assistants.update).at(-1)?.body)
      .toEqual({ instructions: 'Today is {{current_date}}.' });
  });

  test('says what the time costs, and asks about a name that resembles a variable', async () => {
    openEditor();
    await instructions.fill(
      'At {{CURRENT_TIME}}, {{current_dat}}, Dear {{customer}}, as {{assistant_name}} on {{model}}',
    );
    await expectText(page.getByText('3 variables, filled in with each message:'), /Tutor.*gpt-4o/);
    await expect
      .element(page.getByText(/changes with every message. What follows it, the conversation included, is not cached/))
      .toBeVisible();
    await expectText(page.getByText(/is not known here/), /\{\{current_dat\}\}.*Did you mean \{\{current_date\}\}\?/);
    await instructions.fill('Dear {{customer}}');
    await expectHidden(page.getByText(/filled in with each message/));
    await expectHidden(page.getByText(/is not known here/));
  });

  test('shows what a section holds at its far end, on right-to-left pages too', async () => {
    openEditor();
    document.documentElement.dir = 'rtl';
    const [title, summary] = [page.getByText('Answer format'), page.getByText('Text', { exact: true })];
    await expect.element(summary).toBeVisible();
    const gap = () => title.element().getBoundingClientRect().left - summary.element().getBoundingClientRect().right;
    await expect.poll(gap).toBeGreaterThan(100);
  });

  test('opens the section with a wrong field', async () => {
    openEditor();
    await page.getByText('Icon, color and tags').click();
    await page.getByLabelText('Tags').fill('x'.repeat(31));
    await page.getByText('Icon, color and tags').click();
    await press('Control+s');
    await expect.element(page.getByText('A tag cannot exceed 30 characters')).toBeVisible();
    await expect.element(page.getByLabelText('Tags')).toBeVisible();
  });

  test('shows the server’s reason at its field, and keeps what is typed', async () => {
    openEditor();
    answer(assistants.update, refusal('invalid_input', 'This name is reserved.', { name: 'This name is reserved.' }));
    await name.fill('Admin');
    await press('Control+s');
    await expect.element(page.getByText('This name is reserved.').first()).toBeVisible();
    await expect.element(name).toHaveValue('Admin');
  });

  test('keeps what is typed while another tab is shown', async () => {
    openEditor();
    answer(assistantVersions.list, []);
    await name.fill('Typed');
    await page.getByRole('tab', { name: 'Test Sets' }).click();
    await expect.element(page.getByRole('heading', { name: 'No test sets yet' })).toBeVisible();
    await page.getByRole('tab', { name: 'Edit' }).click();
    await expect.element(name).toHaveValue('Typed');
  });

  test('asks a trial with what the form holds, and says why it could not begin', async () => {
    openEditor();
    answer(trials.begin, refusal('conflict', 'Your budget for this month is used up.'));
    await instructions.fill('Unsaved.');
    await page.getByRole('button', { name: 'Start a trial' }).click();
    await expectText(page.getByRole('region', { name: 'Trial' }), /Your budget for this month is used up\./);
    expect(requestsTo(trials.begin)).toMatchObject([
      { body: { assistantId: 1, settings: { model: 'gpt-4o', instructions: 'Unsaved.' } } },
    ]);
  });

  test('says that an assistant no longer exists', async () => {
    openEditor('/assistants/9');
    answer(assistantDrafts.get, refusal('not_found', 'Assistant not found.'));
    await expect.element(page.getByText('This assistant no longer exists.')).toBeVisible();
  });
});
