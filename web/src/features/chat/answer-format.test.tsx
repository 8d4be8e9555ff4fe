import { chat, type Message } from '@roster/contracts/chat';
import { describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { oneAnswer } from '#web/testing/conversations.ts';
import { expectCount, expectHidden, expectText, expectTexts, press } from '#web/testing/page.ts';

const answers = page.getByRole('article', { name: 'Answer' });
const shown = answers.getByRole('group', { name: 'Structured answer' });
const rows = (of = 'Answer') => shown.getByRole('list', { name: of, exact: true }).first().getByRole('listitem');
const notice = answers.getByText(/its schema/);

type Given = { schema?: object | null; title?: string } & Partial<Message>;

/** A conversation whose answer has a response schema. */
function openAnswer(said: unknown, { schema = { type: 'object' }, title = 'Conversation 1', ...part }: Given = {}) {
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  open('/chat/1', {
    answers() {
      oneAnswer({ text, hasSchema: true, run: { id: 7, state: 'complete' }, ...part }, { title });
      answer(chat.responseSchema, { schema: schema && JSON.stringify(schema) });
    },
  });
}

/** Files saved so far, with their names and contents. */
function saved() {
  const files: { name: string; content: Promise<string> }[] = [];
  const blobs: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    if (blob instanceof Blob) blobs.push(blob);
    return 'blob:saved';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function save(this: HTMLAnchorElement) {
    // As bytes: reading a blob as text would drop the BOM.
    const bytes = blobs.at(-1)?.arrayBuffer() ?? Promise.resolve(new ArrayBuffer(0));
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    files.push({ name: this.download, content: bytes.then((all) => decoder.decode(all)) });
  });
  return files;
}

describe('structured answer', () => {
  test('renders the fields of the answer', async () => {
    openAnswer(
      '{"city":"Utrecht","people":12345678901234567890,"much":1e400,"none":-0,"sea":false,"mayor":null,"motto":"","rivers":["Rhine","Vecht"],"at":{}}',
    );
    await expectTexts(rows().filter({ hasNot: page.getByRole('listitem') }), [
      'city Utrecht',
      'people 12345678901234567890',
      'much 1e400',
      'none -0',
      'sea false',
      'mayor null',
      'motto empty text',
      '1 Rhine',
      '2 Vecht',
      'at No fields',
    ]);
    await expectCount(notice, 0);
    expect(requestsTo(chat.responseSchema).map(({ params }) => params.id)).toEqual([7]);
  });

  test('renders similar objects as a table that scrolls in its box', async () => {
    await page.viewport(390, 844);
    const items = [
      { name: 'Tea', price: 1.5, note: 'x'.repeat(200) },
      { name: 'Coffee', size: 'large' },
    ];
    openAnswer({ items });
    const table = shown.getByRole('table', { name: 'items' });
    await expectTexts(table.getByRole('columnheader'), ['Number', 'name', 'price', 'note', 'size']);
    await expectTexts(table.getByRole('rowheader'), ['1', '2']);
    await expectTexts(table.getByRole('row').last().getByRole('cell'), ['Coffee', '', '', 'large']);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
    const around = shown.getByRole('region', { name: 'Table: items' }).element();
    expect(around.scrollWidth).toBeGreaterThan(around.clientWidth);
  });

  test('expands level by level, by keyboard too', async () => {
    openAnswer({ a: { b: { c: { d: 'far inside' } } } });
    const inside = shown.getByText('far inside');
    const line = shown.getByText('c', { exact: true });
    await expect.element(line).toBeVisible();
    await expectHidden(inside);
    line.element().closest('summary')?.focus();
    await press('Enter');
    await expect.element(inside).toBeVisible();
    await shown.getByText('a', { exact: true }).click();
    await expectHidden(inside);
  });

  test('keeps duplicate names and names of built-in properties', async () => {
    openAnswer('{"a":"one","a":"two","__proto__":"three","toString":"four","":"five"}');
    await expectTexts(rows(), ['a one', 'a two', '__proto__ three', 'toString four', 'no name five']);
  });

  test('runs no code, has no links and stays in its box', async () => {
    openAnswer({
      text: '<img src=x onerror="document.title=1">\u202e[link](javascript:alert(1))\ud800',
      rtl: 'שלום 12',
    });
    await expectText(rows().first(), '<img src=x');
    await expectCount(shown.getByRole('img'), 0);
    await expectCount(shown.getByRole('link'), 0);
    const text = shown.getByText('שלום').element();
    expect(getComputedStyle(text).direction).toBe('rtl');
  });

  test('aligns with the page, whatever the direction of names and texts', async () => {
    await page.viewport(390, 844);
    document.documentElement.dir = 'rtl';
    openAnswer('{"one":"Left to right","שתיים":"שלום"}');
    await expectCount(rows(), 2);
    for (const text of ['one', 'Left to right', 'שתיים', 'שלום']) {
      const { right } = shown.getByText(text, { exact: true }).element().getBoundingClientRect();
      expect(right, text).toBeCloseTo(rows().first().element().getBoundingClientRect().right, 0);
    }
  });

  test('renders a long answer in pieces', async () => {
    openAnswer({ numbers: Array.from({ length: 450 }, (_, index) => index) });
    await expectCount(rows('numbers'), 200);
    await shown.getByRole('button', { name: 'Show more (250 items left)' }).click();
    await expectCount(rows('numbers'), 400);
    await shown.getByRole('button', { name: 'Show more (50 items left)' }).click();
    await expectCount(rows('numbers'), 450);
    await expectCount(shown.getByRole('button', { name: 'Show more' }), 0);
  });

  test('renders very deep nesting as JSON', async () => {
    openAnswer(`${'{"a":'.repeat(160)}"the end"${'}'.repeat(160)}`);
    const folded = () => [...shown.element().querySelectorAll<HTMLElement>('details:not([open]) > summary')].at(-1);
    await expect.poll(() => folded() !== undefined).toBe(true);
    while (folded()) {
      const before = shown.element().querySelectorAll('details').length;
      folded()?.click();
      const isDeeper = () =>
        shown.element().querySelectorAll('details').length > before || shown.element().querySelector('code') !== null;
      await expect.poll(isDeeper).toBe(true);
    }
    await expectText(shown, /\{"a":\{"a":.*"the end"\}+/);
    expect(shown.element().querySelectorAll('details')).toHaveLength(31);
  });

  test('shows the JSON source', async () => {
    openAnswer('{"a":[1e400,{"b":-0}]}');
    await shown.getByRole('tab', { name: 'JSON' }).click();
    const panel = shown.getByRole('tabpanel');
    await expect
      .poll(() => panel.element().textContent)
      .toBe('{\n  "a": [\n    1e400,\n    {\n      "b": -0\n    }\n  ]\n}');
    await userEvent.keyboard('{ArrowLeft}');
    await expect.element(rows().first()).toBeVisible();
    await expect.element(shown.getByRole('tab', { name: 'Tree' })).toHaveFocus();
  });

  test('says that it is empty', async () => {
    openAnswer('{ }');
    await expectText(shown, 'No fields');
  });

  test('shows raw text until complete', async () => {
    openAnswer('{"a": {"b"', { state: 'stopped', run: { id: 7, state: 'stopped' } });
    await expect.element(answers.getByText('{"a": {"b"')).toBeVisible();
    await expect.element(answers.getByText('Stopped')).toBeVisible();
    await expectCount(shown, 0);
    await expectCount(notice, 0);
  });

  test('follows the tool calls before it', async () => {
    const said = 'I look it up.';
    const call = { kind: 'web_search', callId: 'call_1', name: '', title: '', server: null } as const;
    openAnswer(`${said}{"found":true}`, {
      calls: [{ ...call, state: 'done', input: '["tea"]', output: null, at: said.length }],
    });
    await expectTexts(rows(), ['found true']);
    await expect.element(answers.getByText(said)).toBeVisible();
  });
});

describe('answer that violates its schema', () => {
  const price = { type: 'object', properties: { price: { type: 'number' } } };
  const schema = { type: 'object', properties: { items: { type: 'array', items: price } } };
  const bad = (count: number) => ({ items: Array.from({ length: count }, () => ({ price: 'much' })) });

  test('shows what is wrong and where', async () => {
    openAnswer({ items: [{ price: 1 }, { price: 2 }, { price: 3 }, { price: '4' }] }, { schema });
    await expectText(answers, /The answer does not match its schema:\s*\/items\/3\/price must be a number/);
    await expectTexts(shown.getByRole('row').last().getByRole('cell'), ['4 must be a number']);
  });

  test('limits the message to five lines', async () => {
    openAnswer(bad(12), { schema });
    const lines = answers.getByRole('listitem').filter({ hasText: /^(\/items|and)/ });
    await expectTexts(lines, [/^\/items\/0/, /^\/items\/1/, /^\/items\/2/, /^\/items\/3/, 'and 8 more']);
  });

  test('renders text that is not JSON as Markdown', async () => {
    openAnswer('I would **rather** not.', { schema });
    await expect
      .element(answers.getByText('The answer does not match its schema: it is not valid JSON.'))
      .toBeVisible();
    await expectCount(answers.getByRole('strong'), 1);
    await expectCount(shown, 0);
  });

  test('gives up checking after a second without blocking the page', async () => {
    const frozen = { type: 'object', properties: { a: { type: 'string', pattern: '^(([a-z])+.)+$' } } };
    openAnswer({ a: `${'a'.repeat(60)}!\n` }, { schema: frozen });
    await expectTexts(rows(), [/^a aaaa/]);
    await expect.element(answers.getByText('Checking the answer against its schema took too long.')).toBeVisible();
    await expect.element(answers.getByRole('button', { name: 'Check again' })).toBeVisible();
  });

  test('retries if the schema failed to load', async () => {
    openAnswer(bad(1), { schema });
    answer(chat.responseSchema, Response.error());
    await expectText(answers, 'The answer could not be checked against its schema.');
    answer(chat.responseSchema, { schema: JSON.stringify(schema) });
    await answers.getByRole('button', { name: 'Check again' }).click();
    await expectText(answers, '/items/0/price must be a number');
  });
});

describe('exporting a structured answer', () => {
  test('copies and saves JSON named after the conversation', async () => {
    const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    const files = saved();
    openAnswer('{"a":1e400}', { title: '../Täglich: <Kosten> 🎉' });
    await shown.getByRole('button', { name: 'Copy JSON' }).click();
    await expect.element(shown.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(copied).toHaveBeenCalledWith('{\n  "a": 1e400\n}');
    await shown.getByRole('button', { name: 'Download JSON' }).click();
    expect(files.map(({ name }) => name)).toEqual(['täglich-kosten.json']);
    expect(await files[0]?.content).toBe('{\n  "a": 1e400\n}\n');
  });

  test('saves tables for spreadsheets', async () => {
    const files = saved();
    openAnswer('{"cost":{"days":[{"day":"=1","usd":-1.50},{"note":"x"}]}}', { title: 'Costs' });
    await shown.getByRole('button', { name: 'Download CSV' }).click();
    expect(files.map(({ name }) => name)).toEqual(['costs-cost-days.csv']);
    expect(await files[0]?.content).toBe("\uFEFFday,usd,note\r\n'=1,-1.50,\r\n,,x\r\n");
  });
});

test('keeps expanded parts in place at the end of an answer', async () => {
  openAnswer({ folded: { a: { b: Array.from({ length: 100 }, (_, index) => index) } } });
  const messages = page.getByRole('region', { name: 'Messages' });
  const left = () => messages.element().scrollHeight - messages.element().scrollTop - messages.element().clientHeight;
  const tab = shown.getByRole('tab', { name: 'JSON' });
  await expect.element(tab).toBeVisible();
  const { top } = tab.element().getBoundingClientRect();
  await tab.click();
  await expect.poll(left).toBeGreaterThan(50);
  expect(tab.element().getBoundingClientRect().top).toBeCloseTo(top, 0);
});
