import { type ConversationHelper, conversation } from './conversation.ts';
import { expect, test } from './fixtures.ts';

let talk: ConversationHelper;
test.beforeEach(async ({ page, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await expect(page.getByPlaceholder('Message Tutor')).toBeFocused();
  talk = conversation(page);
});

test('keeps a code block wrapped while its answer grows', async () => {
  await talk.ask('Show code [[delay 60]]');
  const wrap = talk.answers.getByRole('figure').first().getByRole('button', { name: 'Wrap lines' });
  await wrap.click();
  await expect(wrap).toHaveAttribute('aria-pressed', 'true');
  await talk.growth();
  await expect(wrap).toHaveAttribute('aria-pressed', 'true');
  await talk.stop.click();
  await talk.untilDone();
  await expect(talk.answers.getByRole('button', { name: 'Regenerate' })).toBeVisible();
  await expect(wrap).toHaveAttribute('aria-pressed', 'true');
});

/** Leads to the assistant's version; it is not part of the answer’s text. */
const ownLink = /^version \d+$/;

test('runs, loads and disguises nothing in a hostile answer', { tag: '@main' }, async ({ page, roster }) => {
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
      .filter({ hasNotText: ownLink })
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
  // A label that names one site over another's address shows where it leads.
  await expect(talk.answers.getByRole('link', { name: /roster\.example/ })).toContainText('(attacker.example)');
  expect(foreign).toEqual([]);
  expect(opened).toEqual([]);
  expect(page.url().replace(/\/chat.*/, '')).toBe(address.replace(/\/chat.*/, ''));
});

test('draws a diagram in a page without network, and blocks nothing of it', async ({ page, roster }) => {
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy|blocked/i.test(message.text())) refused.push(message.text());
  });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await talk.ask('Draw a diagram [[delay 0]]');
  await talk.untilDone();
  const picture = talk.answers.getByRole('img', { name: 'Diagram: sequenceDiagram' });
  await picture.scrollIntoViewIfNeeded();
  await expect
    .poll(() => picture.evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0)))
    .toBeGreaterThan(50);
  const frame = page.frames().find((each) => each.url() === `${roster.url}/frame/diagrams.html`);
  expect(await frame?.evaluate(() => [self.origin, typeof Reflect.get(window, 'mermaid')])).toEqual(['null', 'object']);
  const policy = (await page.request.get('/frame/diagrams.html')).headers()['content-security-policy'];
  expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none'; /);
  expect(refused).toEqual([]);
  const foreign = requests.filter((address) => !address.startsWith(`${roster.url}/`) && !address.startsWith('data:'));
  expect(foreign).toEqual([]);
});
