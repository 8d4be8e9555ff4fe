import { chat, type Message, type RunEvent } from '@roster/contracts/chat';
import { expect, onTestFinished, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { answer as answerCall } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { oneAnswer } from '#web/testing/conversations.ts';
import { expectCount, expectText, expectTexts } from '#web/testing/page.ts';

const answer = page.getByRole('article', { name: 'Answer' });
const marks = answer.getByRole('button', { name: /^Source \d/ });
const pages = answer.getByRole('region', { name: 'Web sources' }).getByRole('listitem');
const text = 'It rains. `code` and\n\n```\nmore\n```\n\n- It https://example.com\n';
const [rain, wind] = [
  { url: 'https://example.org/rain', title: 'Rain <b>' },
  { url: 'https://example.net/wind', title: '' },
];
const places = [
  { ...rain, at: 'It rains.'.length },
  { ...wind, at: 'It rains.'.length },
  { ...wind, at: 'It rains. `co'.length },
  { ...rain, at: text.indexOf('more') + 2 },
  { ...rain, at: text.trimEnd().length },
  { ...rain, at: text.trimEnd().length },
];
const show = (part: Partial<Message> = {}) =>
  open('/chat/1', { answers: () => oneAnswer({ text, links: places, ...part }) });

test('links a citation number to its page in the list below', async () => {
  show();
  await expectTexts(marks, ['1', '2', '1']);
  // Source and code contain no citation marks, and a URL stays as written.
  await expectText(answer.getByText('code', { exact: true }), 'code');
  await expectText(answer.getByText('more', { exact: true }), 'more');
  const written = answer.getByRole('link', { name: 'https://example.com' });
  expect(written.element().getAttribute('href')).toBe('https://example.com/');
  await expectTexts(pages, ['Rain <b> https://example.org/rain', 'https://example.net/wind']);
  await answer.getByRole('button', { name: 'Source 2: https://example.net/wind' }).click();
  await expect.element(pages.last()).toHaveFocus();
  const link = pages.first().getByRole('link', { name: 'Rain <b>' }).element();
  expect([link.getAttribute('href'), link.getAttribute('rel')]).toEqual([rain.url, 'noreferrer noopener']);
});

test('ignores numbers that a model writes itself, and links web addresses only', async () => {
  const written = 'Look \uE0F19\uE0F2 \uE0F11\uE0F2 here.';
  show({ text: written, links: [{ url: 'javascript:alert(1)', title: 'Bad', at: 4 }] });
  await expectTexts(pages, ['Bad javascript:alert(1)']);
  await expectCount(pages.getByRole('link'), 0);
  show({ text: written, links: [] });
  await expectText(answer, /Look here\./);
  await expectCount(marks, 0);
});

test('shows citation numbers while the answer streams', async () => {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  let number = 0;
  const tell = (event: RunEvent) =>
    stream?.enqueue(
      new TextEncoder().encode(`id: ${++number}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    );
  answerCall(chat.events, () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        stream = controller;
        tell({ type: 'text', text: 'It rains.' });
        tell({ type: 'link', ...rain });
        tell({ type: 'text', text: ' And it' });
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  const live = { state: 'running', run: { id: 1, state: 'running' }, finishedAt: null, text: '' } as const;
  open('/chat/1', { answers: () => oneAnswer(live, { runId: 1 }) });
  await expectText(answer, /It rains\.1 And it/);
  tell({ type: 'text', text: ' blows.' });
  tell({ type: 'link', ...wind });
  await expectText(answer, /It rains\.1 And it blows\.2/);
  await expectTexts(pages, [/^Rain/, wind.url]);
});

test('copies an answer with its pages as footnotes', async () => {
  const copied = vi.spyOn(navigator.clipboard, 'write').mockResolvedValue();
  onTestFinished(() => copied.mockRestore());
  show({
    text: 'It **rains**. It blows.',
    links: [
      { ...rain, at: 13 },
      { ...wind, at: 23 },
      { ...rain, at: 23 },
    ],
  });
  await answer.getByRole('button', { name: 'Copy answer' }).click();
  await expect.poll(() => copied.mock.calls.length).toBe(1);
  const contentOf = async (type: string) => (await copied.mock.calls[0]?.[0][0]?.getType(type))?.text();
  expect(await contentOf('text/plain')).toBe(
    `It **rains**.[^1] It blows.[^2][^1]\n\n[^1]: Rain <b>, <${rain.url}>\n[^2]: <${wind.url}>`,
  );
  expect(await contentOf('text/html')).toContain(
    '<p>It <strong>rains</strong>.<sup>1</sup> It blows.<sup>2</sup><sup>1</sup></p>',
  );
});
