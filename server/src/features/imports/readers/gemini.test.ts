import { expect, test } from 'vitest';
import { only, read, write, zip } from '#server/testing/read-exports';
import { markdownOf } from './html-text.ts';

const activity = (title: string, time: string, more: object = {}) => ({
  header: 'Gemini Apps',
  title,
  time,
  products: ['Gemini Apps'],
  activityControls: ['Gemini Apps Activity'],
  ...more,
});
const answered = (...answers: string[]) => ({ safeHtmlItem: answers.map((html) => ({ html })) });

test('reads each question of Gemini as a conversation, with its answers and files', async () => {
  const folder = 'Takeout/My Activity/Gemini Apps';
  const { conversations, leftOut } = await read(
    await zip({
      [`${folder}/My Activity.json`]: [
        activity('Prompted What is on it?', '2026-01-02T03:04:05.678Z', {
          ...answered('<p>A <strong>boat</strong></p>', '<p>A ship</p>'),
          imageFile: 'image_1-ab.png',
          attachedFiles: ['image_1-ab.png', 'gone.pdf'],
          subtitles: [{ name: 'Attached 2 files.' }, { name: '-  boat.png', url: 'image_1-ab.png' }],
        }),
        activity('Gave feedback: Good response', '2026-01-02T03:05:00Z'),
        { header: 'Search', title: 'Searched for boats', products: ['Search'], time: '2026-01-01T00:00:00Z' },
        activity('Prompted Unanswered', '2026-01-01T00:00:00Z'),
      ],
      [`${folder}/image_1-ab.png`]: Buffer.from('image'),
      'Takeout/Gemini/gems.json': { gems: [] },
    }),
  );
  expect(conversations).toMatchObject([
    {
      source: 'gemini',
      title: null,
      createdAt: '2026-01-02T03:04:05.678Z',
      messages: [
        {
          role: 'user',
          text: 'What is on it?',
          files: [{ filename: 'boat.png', entry: `${folder}/image_1-ab.png`, sourceId: 'gemini:image_1-ab.png' }],
        },
        { role: 'assistant', text: 'A **boat**' },
        { role: 'assistant', text: 'A ship' },
      ],
    },
    { messages: [{ text: 'Unanswered' }] },
  ]);
  const [question, ...answers] = conversations[0]?.messages ?? [];
  expect(answers.map(({ parent }) => parent)).toEqual([question?.sourceId, question?.sourceId]);
  expect(leftOut).toEqual({ files: 1, other_activities: 1 });
});

test('joins activities of Gemini whose address names the same conversation, in their order', async () => {
  const within = { titleUrl: 'https://gemini.google.com/app/abc123' };
  const { conversations } = await read(
    write([
      activity('Prompted Second', '2026-01-02T00:00:00Z', { ...within, ...answered('Two') }),
      activity('Prompted First', '2026-01-01T00:00:00Z', { ...within, ...answered('One') }),
    ]),
  );
  expect(conversations).toHaveLength(1);
  expect(conversations[0]).toMatchObject({ sourceId: 'abc123' });
  expect(conversations[0]?.messages.map(({ text }) => text)).toEqual(['First', 'One', 'Second', 'Two']);
  const ids = conversations[0]?.messages.map(({ sourceId }) => sourceId) ?? [];
  expect(conversations[0]?.messages.map(({ parent }) => parent)).toEqual([null, ...ids.slice(0, -1)]);
});

const cell = (content: string, header = 'Gemini Apps') =>
  `<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid"><div class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">${header}<br></p></div><div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">${content}</div><div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1 mdl-typography--text-right"></div><div class="content-cell mdl-cell mdl-cell--12-col mdl-typography--caption"><b>Products:</b><br>&emsp;${header}<br></div></div></div>`;

test('reads the page that Google exports by default', async () => {
  const page = `<html><head><title>My Activity History</title></head><body><div class="mdl-grid">${[
    cell(
      'Prompted&nbsp;Is 1 &lt; 2?<br>Or not<br>Nov 5, 2024, 10:12:33\u202fAM CET<br><p>Yes.</p><ul><li>one</li></ul>',
    ),
    cell('Prompted Gr\u00fc\u00dfe<br>05.11.2024, 10:12:33 MEZ<br><p>Hallo</p>'),
    cell('Searched for tea<br>Nov 5, 2024, 10:12:33 AM CET', 'Search'),
  ].join('')}</div></body></html>`;
  const { conversations } = await read(write(page, 'html'));
  expect(conversations).toMatchObject([
    {
      createdAt: '2024-11-05T10:12:33.000Z',
      messages: [{ text: 'Is 1 < 2?\nOr not' }, { text: 'Yes.\n\n- one' }],
    },
    { createdAt: '2024-11-05T10:12:33.000Z', messages: [{ text: 'Gr\u00fc\u00dfe' }, { text: 'Hallo' }] },
  ]);
});

test('takes the exported prompt whatever language it is in', async () => {
  const { conversation } = await only(activity('Eingegeben: Hallo', '2026-01-01T00:00:00Z', answered('Guten Tag')));
  expect(conversation.messages.map(({ text }) => text)).toEqual(['Eingegeben: Hallo', 'Guten Tag']);
});

test.each([
  ['<h2>Title</h2><p>One<br>two</p>', '## Title\n\nOne\ntwo'],
  ['<ol><li><p>a</p></li><li>b<ul><li>c</li></ul></li></ol>', '1. a\n2. b\n  - c'],
  ['<pre><code>if (a &lt; b) {\n  x\n}</code></pre>', '```\nif (a < b) {\n  x\n}\n```'],
  ['<p>Use <code>x</code> at <a href="https://a.b/?c&amp;d">there</a></p>', 'Use `x` at [there](https://a.b/?c&d)'],
  ['<script>evil()</script><a href="javascript:x">no</a>', 'no'],
  [
    '<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
    '| A | B |\n| --- | --- |\n| 1 | 2 |',
  ],
  ['&#x1F600; &amp;lt; &unknown; &#0;', '\u{1F600} &lt; &unknown;'],
])('writes %s as Markdown', (html, markdown) => {
  expect(markdownOf(html)).toBe(markdown);
});
