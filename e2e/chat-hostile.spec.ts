import type { Page } from '@playwright/test';
import { conversation, exchange, startThread } from './conversation.ts';
import { expect, test } from './fixtures.ts';
import type { Roster } from './roster.ts';

/** A thread whose answer the test writes; reopened for every text. */
async function answering(page: Page, roster: Roster, assistantId: number) {
  const id = await startThread(page, roster, { title: 'Given', assistantId });
  await exchange(page, roster, id, 'Say it');
  let text = '';
  await page.route(`**/api/threads/${id}/messages*`, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    for (const item of body.items) if (item.role === 'assistant') item.text = text;
    await route.fulfill({ response, json: body });
  });
  return async (written: string) => {
    text = written;
    await page.goto(`/chat/${id}`);
  };
}

test('opens and continues a conversation whatever a model writes', async ({ page, roster, withAssistant }) => {
  const { answers, message } = conversation(page);
  const open = await answering(page, roster, withAssistant.assistantId);
  const hostile: Record<string, string> = {
    'x^{x^{x^{': `$$${'x^{'.repeat(160)}x${'}'.repeat(160)}$$`,
    '\\frac{1}{\\frac{1}{': `$${'\\frac{1}{'.repeat(300)}x${'}'.repeat(300)}$`,
    __a__a__a: '__a'.repeat(132_000),
    'a quote': `${'> '.repeat(10_000)}a quote`,
    'a list': `${'- '.repeat(10_000)}a list`,
    'lazy list': '> - a\nlazy list\n'.repeat(20_000),
    'strong words': `${'*a **'.repeat(5_000)}strong words${'** *'.repeat(5_000)}`,
    'many formulas': `many formulas ${'$x^2$ '.repeat(20_000)}`,
  };
  for (const [shown, text] of Object.entries(hostile)) {
    await open(text);
    await expect(answers).toContainText(shown);
    await message.fill(`Seen: ${shown}`);
    await expect(message).toHaveValue(`Seen: ${shown}`);
  }
  // A formula as deep as people write is rendered.
  await open(`$$${'x^{'.repeat(12)}x${'}'.repeat(12)}$$`);
  await expect(answers.getByRole('math')).toBeAttached();
});

test('keeps stacked combining marks inside their own message', async ({ page, roster, withAssistant }) => {
  const open = await answering(page, roster, withAssistant.assistantId);
  await open('Calm.');
  const question = page.getByRole('article', { name: 'Question' });
  await expect(page.getByRole('article', { name: 'Answer' })).toContainText('Calm.');
  const calm = await question.screenshot();
  await open(`z${'\u0301\u0302\u0303'.repeat(120)}`);
  await expect(page.getByRole('article', { name: 'Answer' })).toContainText('z');
  expect((await question.screenshot()).equals(calm)).toBe(true);
});

test('shows a link to Roster itself as text, in every notation', async ({ page, roster, withAssistant }) => {
  const { host, port } = new URL(roster.url);
  const own = [
    `${roster.url}/auth/google`,
    `HTTP://LOCALHOST:${port}/api/logout`,
    `http://someone@${host}/settings`,
    `http://127.0.0.1:${port}/`,
    `http://local%68ost:${port}/`,
    `//${host}/settings`,
    '/auth/google',
    '\\\\auth\\google',
    `http:\\\\${host}/settings`,
  ];
  const open = await answering(page, roster, withAssistant.assistantId);
  await open(
    [
      ...own.map((address) => `[press](${address}) ![look](${address}) <${address}>`),
      `Bare ${roster.url}/settings, [by name][own] and [elsewhere](https://elsewhere.example/a).`,
      `[own]: ${roster.url}/auth/github`,
    ].join('\n\n'),
  );
  const links = page.getByRole('article', { name: 'Answer' }).getByRole('link');
  // The last one is the page's own, and leads to the assistant.
  await expect(links).toHaveText(['elsewhere', /^version \d+$/]);
  await expect(page.getByRole('article', { name: 'Answer' }).locator('img')).toHaveCount(0);
});

test('lays out text in the direction of its own letters', async ({ page, roster, withAssistant }) => {
  const { answers, questions, message } = conversation(page);
  const open = await answering(page, roster, withAssistant.assistantId);
  await open(
    [
      'مرحبا بالعالم, with `code()` in it.',
      'Then plain English.',
      '- عنصر\n- English item',
      '> שלום עולם',
      '| שם | ערך |\n|---|---|\n| אחד | 1 |',
      '```js\nconst a = 1; // تعليق\n```',
    ].join('\n\n'),
  );
  const direction = (part: ReturnType<Page['locator']>) =>
    part.evaluate((element) => getComputedStyle(element).direction);
  await expect(answers.getByRole('table')).toBeVisible();
  expect(await direction(answers.getByText('مرحبا'))).toBe('rtl');
  expect(await direction(answers.getByText('Then plain English.'))).toBe('ltr');
  expect(await direction(answers.getByRole('list'))).toBe('rtl');
  // The direction of the marker, whatever the text's own letters are.
  const alignment = (element: Element) => getComputedStyle(element).textAlign;
  expect(await answers.getByText('English item').evaluate(alignment)).toBe('right');
  expect(await direction(answers.getByText('שלום עולם'))).toBe('rtl');
  expect(await direction(answers.getByRole('table'))).toBe('rtl');
  expect(await direction(answers.getByRole('figure'))).toBe('ltr');
  expect(await direction(answers.getByText('code()'))).toBe('ltr');
  expect(await direction(questions.getByText('Say it'))).toBe('ltr');
  await message.fill('שלום');
  expect(await direction(message)).toBe('rtl');
  // A typed arrow stays two characters.
  expect(await questions.evaluate((element) => getComputedStyle(element).fontVariantLigatures)).toBe('no-contextual');
});

test('never shows an answer as raw Markdown while the renderer loads', async ({ page, roster, withAssistant }) => {
  const { answers } = conversation(page);
  const open = await answering(page, roster, withAssistant.assistantId);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  await page.route(/\/assets\/markdown-text-.*\.js$/, async (route) => {
    ask();
    await held;
    await route.continue();
  });
  await open('**Bold words** and more');
  await asked;
  await expect(page.getByRole('main')).not.toContainText('Bold words');
  release();
  await expect(answers.locator('strong')).toHaveText('Bold words');

  // Once loaded, an answer is rendered in the first frame in which it appears.
  await page.getByRole('link', { name: 'Files' }).first().click();
  await expect(page.getByRole('heading', { name: 'File Management' })).toBeVisible();
  await page.evaluate(() => {
    const seen: string[] = [];
    Reflect.set(window, '__seen', seen);
    new MutationObserver(() => {
      const answer = document.querySelector('[aria-label="Answer"]');
      if (answer) seen.push(answer.querySelector('strong')?.textContent ?? 'nothing');
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.goBack();
  await expect(answers.locator('strong')).toHaveText('Bold words');
  const seen = await page.evaluate(() => Reflect.get(window, '__seen'));
  expect(new Set(seen)).toEqual(new Set(['Bold words']));
});
