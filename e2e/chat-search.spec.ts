import { conversation, exchange, startThread } from './conversation.ts';
import { expect, expectAccessible, test } from './fixtures.ts';

test('opens a shared search with filters, excludes words, and unfolds what it has found', async ({
  page,
  context,
  roster,
  withAssistant,
}) => {
  const { assistantId } = withAssistant;
  const long = await startThread(page, roster, { title: 'Lighthouses', assistantId });
  await exchange(
    page,
    roster,
    long,
    `Lamps [[bench 20]]\n${'A line about the sea.\n'.repeat(40)}The keeper of foghorns`,
  );
  const other = await startThread(page, roster, { title: 'Gardens' });
  await exchange(page, roster, other, 'Foghorns in gardens [[bench 5]]');

  await page.goto('/chat');
  const field = page.getByRole('searchbox', { name: 'Search conversations' });
  const links = page.getByRole('navigation', { name: 'Recent conversations' }).getByRole('link');
  await field.fill('foghorns -gardens');
  await expect(links).toHaveCount(1);
  await expect(page).toHaveURL(/\?q=foghorns/);
  await page.getByRole('button', { name: 'Filter conversations' }).press('Enter');
  await page.getByRole('combobox', { name: 'Add a filter' }).selectOption('Assistant');
  await page.getByRole('combobox', { name: 'Assistant', exact: true }).selectOption({ index: 1 });
  await expect(page).toHaveURL(/withAssistant=/);
  await expectAccessible(page);

  const shared = await context.newPage();
  await shared.goto(page.url());
  await expect(shared.getByRole('searchbox', { name: 'Search conversations' })).toHaveValue('foghorns -gardens');
  const found = shared.getByRole('navigation', { name: 'Recent conversations' }).getByRole('link');
  await expect(found).toHaveCount(1);
  await found.click();
  await expect(conversation(shared).questions.getByText('The keeper of foghorns')).toBeInViewport();
  await shared.goBack();
  await expect(found).toHaveCount(1);
  await shared.getByRole('searchbox', { name: 'Search conversations' }).fill('-foghorns');
  await expect(shared.getByText('Nothing found')).toBeVisible();
  await shared.getByRole('button', { name: 'Remove the filters' }).click();
  await expect(shared.getByText('Nothing found')).toBeVisible();
  await shared.close();
});
