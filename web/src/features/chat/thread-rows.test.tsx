import { assistants } from '@roster/contracts/assistants/assistants';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer } from '#web/testing/answers.ts';
import { address, open, show } from '#web/testing/app.tsx';
import { assistant } from '#web/testing/assistants.ts';
import { exchange, serveThreads, thread } from '#web/testing/conversations.ts';
import { expectCount, expectHidden, expectText, expectTexts, press } from '#web/testing/page.ts';

const list = page.getByRole('navigation', { name: 'Recent conversations' });
const links = list.getByRole('link');
const row = (title: string) => list.getByRole('link', { name: title });

async function choose(title: string, action: string) {
  await row(title).hover();
  await page.getByRole('button', { name: `Actions for ${title}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

test('renames, pins and archives conversations', async () => {
  open('/chat', { answers: () => serveThreads([thread(2, { title: 'Newer' }), thread(1, { title: 'Older' })]) });
  await expectTexts(links, ['Newer', 'Older']);
  await expectTexts(list.getByRole('heading'), ['Today']);

  await choose('Older', 'Rename');
  const title = page.getByRole('textbox', { name: 'Title of the conversation' });
  await expect.element(title).toHaveFocus();
  await title.fill('   ');
  await press('Enter');
  await expect.element(page.getByText('Title is required')).toBeVisible();
  await title.fill('t'.repeat(256));
  await press('Enter');
  await expect.element(page.getByText('Title cannot exceed 255 characters')).toBeVisible();
  await press('Escape');
  await expectTexts(links, ['Newer', 'Older']);
  await choose('Older', 'Rename');
  await title.fill('Harbour');
  await press('Enter');
  await expectTexts(links, ['Newer', 'Harbour']);

  await choose('Harbour', 'Pin');
  await expectTexts(links, ['Harbour', 'Newer']);
  await expectTexts(list.getByRole('heading'), ['Pinned', 'Today']);
  await choose('Harbour', 'Unpin');
  await expectTexts(list.getByRole('heading'), ['Today']);

  await choose('Harbour', 'Archive');
  await expectTexts(links, ['Newer']);
  await page.getByRole('button', { name: 'Show archived conversations' }).click();
  await expect.element(page.getByRole('heading', { name: 'Archived Conversations' })).toBeVisible();
  const archive = page.getByRole('navigation', { name: 'Archived conversations' });
  await archive.getByRole('link', { name: 'Harbour' }).hover();
  await page.getByRole('button', { name: 'Actions for Harbour' }).click();
  await page.getByRole('menuitem', { name: 'Unarchive' }).click();
  await expect.element(page.getByText('Nothing archived')).toBeVisible();
  await page.getByRole('button', { name: 'Back to recent conversations' }).click();
  await expectCount(links, 2);
  show('/chat');
  await expect.element(row('Harbour')).toBeVisible();
});

test('lists conversations of API clients separately, and images by URL', async () => {
  const address = 'https://images.example.org/printer.png';
  const question = { text: 'It is jammed', imageUrls: [address, `${location.origin}/api/user`] };
  open('/chat/2', {
    answers: () =>
      serveThreads(
        [thread(1, { title: 'My own' }), thread(2, { title: 'The printer', madeBy: 'Helpdesk' })],
        exchange(2, question, { text: 'Open the tray.' }),
      ),
  });
  await expectTexts(links, ['My own']);
  await page.getByRole('button', { name: 'Show conversations by programs' }).click();
  await expect.element(page.getByRole('heading', { name: 'By Programs' })).toBeVisible();
  const ofPrograms = page.getByRole('navigation', { name: 'Conversations by programs' });
  await expectTexts(ofPrograms.getByRole('link'), ['The printer by Helpdesk']);
  await ofPrograms.getByRole('link').hover();
  await page.getByRole('button', { name: 'Actions for The printer' }).click();
  await page.getByRole('menuitem', { name: 'Archive', exact: true }).click();
  await expect.element(page.getByText('No conversations by programs')).toBeVisible();
  await page.getByRole('button', { name: 'Show archived conversations' }).click();
  const archive = page.getByRole('navigation', { name: 'Archived conversations' });
  await expectTexts(archive.getByRole('link'), ['The printer by Helpdesk']);
  await page.getByRole('button', { name: 'Back to recent conversations' }).click();
  await expectTexts(links, ['My own']);

  const images = page.getByRole('list', { name: 'Images from other sites' });
  await expectTexts(images.getByRole('listitem'), question.imageUrls);
  // No image is loaded, and an address on Roster's own host is not a link.
  await expectTexts(images.getByRole('link'), [address]);
  await expect.element(images.getByRole('link')).toHaveAttribute('rel', 'noopener noreferrer');
  expect(performance.getEntriesByName(address)).toEqual([]);
});

test('confirms before deleting, names the conversation and removes it', async () => {
  open('/chat/1', { answers: () => serveThreads([thread(1, { title: 'Not needed any more' })]) });
  await page.getByRole('button', { name: 'Conversation actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete Conversation' });
  await expectText(
    dialog,
    'Are you sure you want to delete Not needed any more with all its messages? You can restore it from the trash for 30 days.',
  );
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expectHidden(dialog);
  await expect.element(row('Not needed any more')).toBeVisible();
  await page.getByRole('button', { name: 'Conversation actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect.element(page.getByText('No conversations yet')).toBeVisible();
  await expect.poll(address).toBe('/chat');
  show('/chat/1');
  await expect.element(page.getByText('Conversation not found')).toBeVisible();
});

test('offers the default assistant first', async () => {
  const third = assistant(3, { name: 'Third' });
  open('/chat', {
    answers: () => answer(assistants.list, [third, assistant(2, { name: 'Second' }), assistant(1)]),
  });
  const started = page.getByRole('region', { name: 'Your Assistants' }).getByRole('listitem');
  await expectTexts(started, [/^Tutor/, /^Third/, /^Second/]);
});
