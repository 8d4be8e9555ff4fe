import { chat, type Message } from '@roster/contracts/chat';
import { describe, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { open, show } from '#web/testing/app.tsx';
import { exchange, oneAnswer } from '#web/testing/conversations.ts';
import { expectCount, expectHidden, expectText, expectTexts, expectToast } from '#web/testing/page.ts';

const answers = page.getByRole('article', { name: 'Answer' });

const openAnswer = (part: Partial<Message>) => open('/chat/1', { answers: () => oneAnswer(part) });

const failed = (error: Message['error']): Partial<Message> => ({ state: 'failed', error, text: '' });

describe('text of an answer', () => {
  test('renders a Markdown table', async () => {
    openAnswer({
      text: [
        'Three ways, see [links](https://example.com/ways):',
        '',
        '| Way | Good for | Effort | Cost per answer | Changes when the facts change |',
        '|---|---|---|---:|---|',
        '| Prompt | Most | Low | 3 | yes |',
        '| Files | Facts | Middle | 12 | yes |',
        '| Training | Style | High | 1,204,330 | no |',
      ].join('\n'),
    });
    const table = answers.getByRole('table').first();
    await expectTexts(table.getByRole('columnheader'), [
      'Way',
      'Good for',
      'Effort',
      'Cost per answer',
      'Changes when the facts change',
    ]);
    await expectCount(table.getByRole('row'), 4);
    await expect
      .element(answers.getByRole('link', { name: 'links' }))
      .toHaveAttribute('rel', expect.stringMatching(/noopener/));
    await expect.element(answers.getByRole('cell', { name: '1,204,330' })).toBeVisible();
  });

  test('highlights, copies and wraps code', async () => {
    const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    const code = "export function topWords(text: string) {\n  return count(text);\n}\n// [['cat', 1]]";
    openAnswer({ text: `Like this:\n\n\`\`\`ts\n${code}\n\`\`\`\n` });
    const block = answers.getByRole('figure').filter({ hasText: 'topWords' }).first();
    await expect.element(block.getByText('ts', { exact: true })).toBeVisible();
    const coloured = block.getByText('export', { exact: true });
    await expect.element(coloured).toBeVisible();
    expect(getComputedStyle(coloured.element()).color).not.toBe(getComputedStyle(block.element()).color);
    await block.getByRole('button', { name: 'Copy code' }).click();
    await expect.element(block.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(copied).toHaveBeenCalledWith(code);
    const wrap = block.getByRole('button', { name: 'Wrap lines' });
    await wrap.click();
    await expect.element(wrap).toHaveAttribute('aria-pressed', 'true');
  });

  test('copies long code after a paragraph completely', async () => {
    const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    const code = Array.from({ length: 600 }, (_, index) => `value_${index} = compute(${index})`).join('\n');
    openAnswer({ text: `Here is the module:\n\n\`\`\`python\n${code}\n\`\`\`\n\nThat is all.` });
    await answers.getByRole('button', { name: 'Copy code' }).click();
    expect(copied).toHaveBeenCalledWith(code);
    await expectCount(answers.getByRole('figure'), 1);
  });

  test('renders formulas and keeps dollar amounts', async () => {
    openAnswer({
      text: 'It costs $5 if you are wrong and $0 if you are right.\n\n$$\nE = mc^2\n$$\n\nInline \\(a^2 + b^2\\) too.',
    });
    await expect.poll(() => answers.getByRole('math').elements().length).toBeGreaterThan(0);
    // Formulas that cannot be rendered stay as code.
    await expectCount(answers.getByRole('code'), 0);
    await expectText(answers, 'It costs $5 if you are wrong and $0 if you are right');
  });

  test('copies selected formulas with their TeX', async () => {
    openAnswer({ text: 'Before $a^2$ after.\n\n$$\nE = mc^2\n$$\n\nEnd' });
    await expect.poll(() => answers.getByRole('math').elements().length).toBe(2);
    const text = answers.getByText('Before').element();
    const end = answers.getByText('End', { exact: true }).element();
    getSelection()?.setBaseAndExtent(text, 0, end, end.childNodes.length);
    const clipboardData = new DataTransfer();
    text.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));
    expect(clipboardData.getData('text/plain').split(/\n+/)).toEqual(['Before $a^2$ after.', '$$E = mc^2$$', 'End']);
    expect(clipboardData.getData('text/html')).toMatch(/Before .*\$a\^2\$.* after/);
    expect(clipboardData.getData('text/html')).not.toContain('katex');
  });

  test('renders chemistry, diagrams, details, footnotes and rare languages', async () => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    openAnswer({
      text: [
        'Water is \\ce{H2O}.[^1] ![dot](data:image/png;base64,' +
          pixel +
          ') ![bad](data:image/svg+xml;base64,' +
          pixel +
          ')',
        '<details>\n<summary>More</summary>\n\nHidden *text*\n\n</details>',
        '```dockerfile\nFROM debian\nRUN true\n```',
        '[^1]: As everybody knows',
      ].join('\n\n'),
    });
    await expect.poll(() => answers.getByRole('math').elements().length).toBe(1);
    await expect.element(answers.getByRole('img', { name: 'dot' })).toBeVisible();
    await expectCount(answers.getByRole('img', { name: 'bad' }), 0);
    await expectText(answers, 'Image not loaded: bad');
    await expectHidden(answers.getByText('Hidden'));
    await answers.getByText('More', { exact: true }).click();
    await expect.element(answers.getByText('Hidden')).toBeVisible();
    await expect
      .poll(() => answers.getByRole('figure').element().querySelector('.hljs-keyword')?.textContent)
      .toBe('FROM');
    await answers.getByRole('button', { name: 'Footnote 1', exact: true }).click();
    await expect.element(answers.getByRole('note', { name: 'Footnote 1' })).toHaveFocus();
    await answers.getByRole('button', { name: 'Back to the text of footnote 1' }).click();
    await expect.element(answers.getByRole('button', { name: 'Footnote 1', exact: true })).toHaveFocus();
  });

  test('collapses reasoning', async () => {
    openAnswer({ text: 'Done.', reasoning: 'I first settle what is being asked.' });
    const thoughts = answers.getByText('I first settle what is being asked');
    await expectText(answers, 'Done.');
    await expectHidden(thoughts);
    await answers.getByText('Reasoning', { exact: true }).click();
    await expect.element(thoughts).toBeVisible();
  });
});

describe('failed answer', () => {
  test('says what to do if credit is used up', async () => {
    const noCredit = 'The provider account has no credit left, or its budget is used up.';
    openAnswer(failed({ code: 'insufficient_quota', message: `${noCredit} You exceeded your current quota.` }));
    await expect.element(answers.getByText(noCredit)).toBeVisible();
    await expectText(answers, 'You exceeded your current quota');
    await expectText(answers, 'Add credit or raise the budget under Billing in your provider account');
  });
});

describe('rating', () => {
  const good = answers.first().getByRole('button', { name: 'Good answer' });

  test('reverts with a message if the server refuses', async () => {
    openAnswer({ text: 'Hello.' });
    answer(chat.rate, Response.error());
    await good.click();
    await expectToast('Failed to save your rating', 'The server cannot be reached.');
    await expect.element(good).toHaveAttribute('aria-pressed', 'false');
  });

  test('shows and saves the last of several quick changes', async () => {
    const [, before] = exchange(1, { text: 'The question' }, { text: 'Hello.' });
    if (!before) throw new Error('There is no answer');
    const held: (() => void)[] = [];
    openAnswer({ text: 'Hello.' });
    answer(chat.rate, async ({ body }) => {
      const rated: Message = { ...before, rating: { value: body.value ?? null, correction: null } };
      await new Promise<void>((resolve) => held.push(resolve));
      oneAnswer(rated);
      return rated;
    });
    await good.click();
    await expect.element(good).toHaveAttribute('aria-pressed', 'true');
    await good.click();
    await expect.element(good).toHaveAttribute('aria-pressed', 'false');
    await expect.poll(() => held.length).toBe(1);
    held[0]?.();
    // The second is sent once the first is saved, and the first never shows again.
    await expect.poll(() => held.length).toBe(2);
    await expect.element(good).toHaveAttribute('aria-pressed', 'false');
    held[1]?.();
    await expect.poll(() => requestsTo(chat.rate).map(({ body }) => body.value)).toEqual(['good', null]);
    show('/chat/1');
    await expect.element(good).toHaveAttribute('aria-pressed', 'false');
  });
});
