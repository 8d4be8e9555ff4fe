import { type ConversationHelper, conversation } from './conversation.ts';
import { expect, test } from './fixtures.ts';

let talk: ConversationHelper;
test.beforeEach(async ({ page, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await expect(page.getByPlaceholder('Message Tutor')).toBeFocused();
  talk = conversation(page);
});

test('a Markdown table is a table', async () => {
  await talk.ask('A table [[delay 0]]');
  await talk.untilDone();
  const table = talk.answers.getByRole('table').first();
  await expect(table.getByRole('columnheader')).toHaveText([
    'Way',
    'Good for',
    'Effort',
    'Cost per answer',
    'Changes when the facts change',
  ]);
  await expect(table.getByRole('row')).toHaveCount(4);
  await expect(talk.answers.getByRole('link', { name: 'links' })).toHaveAttribute('rel', /noopener/);
  await expect(talk.answers.getByRole('cell', { name: '1,204,330' })).toBeVisible();
});

test('code is coloured, can be copied and wrapped', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await talk.ask('Show code [[delay 0]]');
  await talk.untilDone();
  const block = talk.answers.getByRole('figure').filter({ hasText: 'topWords' }).first();
  await expect(block.getByText('ts', { exact: true })).toBeVisible();
  const plain = await block.evaluate((figure) => getComputedStyle(figure).color);
  const coloured = block.getByText('export', { exact: true });
  await expect(coloured).toBeVisible();
  expect(await coloured.evaluate((word) => getComputedStyle(word).color)).not.toBe(plain);
  await block.getByRole('button', { name: 'Copy code' }).click();
  await expect(block.getByRole('button', { name: 'Copied' })).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/^export function topWords\([\s\S]*\['cat', 1\]\]$/);
  const wrap = block.getByRole('button', { name: 'Wrap lines' });
  await wrap.click();
  await expect(wrap).toHaveAttribute('aria-pressed', 'true');
});

test('a code block that is wrapped while its answer grows stays so', async () => {
  await talk.ask('Show code [[delay 60]]');
  const wrap = talk.answers.getByRole('figure').first().getByRole('button', { name: 'Wrap lines' });
  await wrap.click();
  await expect(wrap).toHaveAttribute('aria-pressed', 'true');
  await talk.untilDone();
  await expect(talk.answers.getByRole('button', { name: 'Regenerate' })).toBeVisible();
  await expect(wrap).toHaveAttribute('aria-pressed', 'true');
});

test('formulas are typeset, and dollars stay dollars', async () => {
  await talk.ask('Some math [[delay 0]]');
  await talk.untilDone();
  await expect(talk.answers.getByRole('math').first()).toBeAttached();
  // What cannot be typeset stays there as code.
  await expect(talk.answers.getByRole('code')).toHaveCount(0);
  await expect(talk.answers).toContainText('It costs $5 if you are wrong and $0 if you are right');
});

test('diagrams are pictures with their source a click away', async () => {
  await talk.ask('Draw a diagram [[delay 0]]');
  await talk.untilDone();
  const pictures = talk.answers.getByRole('img', { name: /^Diagram: / });
  await expect(pictures).toHaveCount(3);
  const widths = await pictures.evaluateAll((all) =>
    all.map((picture) => (picture instanceof HTMLImageElement && picture.complete ? picture.naturalWidth : 0)),
  );
  for (const width of widths) expect(width).toBeGreaterThan(50);
  await talk.answers.getByRole('button', { name: 'Show source' }).first().click();
  await expect(talk.answers.getByText('roster -->|stores it first| database[(Database)]')).toBeVisible();
  await talk.answers.getByRole('button', { name: 'Show diagram' }).click();
  await expect(pictures).toHaveCount(3);
});

test('a model’s thoughts are folded away', async () => {
  await talk.ask('Think first [[reasoning]]');
  await talk.untilDone();
  const thoughts = talk.answers.getByText('I first settle what is being asked');
  await expect(thoughts).toBeHidden();
  await talk.answers.getByText('Reasoning', { exact: true }).click();
  await expect(thoughts).toBeVisible();
});

test('nothing in a hostile answer runs, loads or leads astray', async ({ page, roster }) => {
  const foreign: string[] = [];
  page.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(`${roster.url}/`) && !address.startsWith('data:')) foreign.push(address);
  });
  const opened: string[] = [];
  page.context().on('page', (other) => opened.push(other.url()));
  page.on('dialog', (dialog) => opened.push(dialog.message()));
  const scripts = await page.locator('script').count();
  await talk.ask('Attack me [[hostile]] [[delay 0]]');
  const address = page.url();
  await talk.untilDone();
  await expect(talk.answers).toContainText('This answer is hostile on purpose.');
  await expect(talk.answers).toContainText('tracking pixel');

  for (const reloaded of [false, true]) {
    if (reloaded) await page.reload();
    await expect(talk.answers.getByText('Images that report back')).toBeVisible();
    const links = await talk.answers
      .locator('a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    for (const href of links) expect(href).toMatch(/^(https?:\/\/|mailto:)/);
    const images = await talk.answers
      .locator('img')
      .evaluateAll((all) => all.map((image) => image.getAttribute('src') ?? ''));
    for (const source of images) expect(source).toMatch(/^data:image\/svg\+xml;charset=utf-8,/);
    await expect(
      talk.answers.locator('iframe, form, style, script, base, meta, object, embed, details[open]'),
    ).toHaveCount(0);
    await expect(talk.answers.locator('[onclick], [onerror], [onload], [ontoggle]')).toHaveCount(0);
    expect(await page.locator('script').count()).toBe(scripts);
    expect(await page.evaluate(() => [Reflect.get(window, '__hacked'), document.body.dataset.hacked])).toEqual([
      undefined,
      undefined,
    ]);
    const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(width).toBeLessThanOrEqual(0);
  }
  // A label that names one site over an address of another says where it leads.
  await expect(talk.answers.getByRole('link', { name: /roster\.example/ })).toContainText('(attacker.example)');
  expect(foreign).toEqual([]);
  expect(opened).toEqual([]);
  expect(page.url().replace(/\/chat.*/, '')).toBe(address.replace(/\/chat.*/, ''));
});
