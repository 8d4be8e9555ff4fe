import type { JsonObject } from '#server/lib/is-object';
import { UnreadableExportError } from './conversation.ts';
import { decoded, markdownOf } from './html-text.ts';

const cellMark = '<div class="outer-cell';
const cellLimit = 16 * 1024 * 1024;

/** A line with the time of day, which follows the question and precedes the answer. */
const isTime = (line: string) => line.length < 80 && /\d{1,2}[:.]\d{2}[:.]\d{2}/.test(line) && /\d{4}/.test(line);

/** The time is written for people, in the language of the account. Names of zones are not known and left out. */
function timeOf(line: string): string | null {
  const text = line.replace(/[\u00a0\u202f]/g, ' ').trim();
  const [, day, month, year, time] = /^(\d{1,2})\.(\d{1,2})\.(\d{4}),? (\d{2}:\d{2}:\d{2})/.exec(text) ?? [];
  if (day && month && year) return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${time}Z`;
  const inUtc = `${text.replace(/ (?!AM\b|PM\b)[A-Z]{2,5}([+-][\d:]+)?$/, '')} UTC`;
  const found = Date.parse(inUtc);
  return Number.isNaN(found) ? null : new Date(found).toISOString();
}

const textOf = (html: string) => decoded(html.replace(/<[^>]*>/g, '')).replace(/[\u00a0]/g, ' ');

/** A cell of the page, in the form of the JSON that Google offers too. */
function activityIn(cell: string): JsonObject | null {
  const [, header = ''] = /<p class="mdl-typography--title">([\s\S]*?)<\/p>/.exec(cell) ?? [];
  const [, content] =
    /<div class="content-cell[^"]*mdl-typography--body-1"[^>]*>([\s\S]*?)(?:<\/div>\s*<div class="content-cell|$)/.exec(
      cell,
    ) ?? [];
  if (content === undefined) return null;
  const lines = content.split(/<br\s*\/?>/i);
  const at = lines.findIndex((line, index) => index > 0 && isTime(textOf(line)));
  const before = at < 0 ? lines : lines.slice(0, at);
  const files = [...before.join(' ').matchAll(/href="([^":/]+\.[a-z0-9]{1,5})"/gi)].map(([, name]) =>
    decoded(name ?? ''),
  );
  const question = before.filter((line) => !/^\s*(Attached \d+ file|-)/.test(textOf(line)));
  const answer = at < 0 ? '' : lines.slice(at + 1).join('<br>');
  const name = textOf(header).trim();
  return {
    header: name,
    products: [name],
    title: question.map(textOf).join('\n').trim(),
    time: at < 0 ? null : timeOf(textOf(lines[at] ?? '')),
    attachedFiles: files,
    ...(markdownOf(answer) !== '' && { safeHtmlItem: [{ html: answer }] }),
  };
}

/** The activities of a page `MyActivity.html`, one after the other. */
export async function* activitiesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<JsonObject> {
  const decoder = new TextDecoder();
  let rest = '';
  let isFirst = true;
  function* take(cell: string): Generator<JsonObject> {
    const activity = isFirst ? null : activityIn(cell);
    isFirst = false;
    if (activity) yield activity;
  }
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf(cellMark, 1); end >= 0; end = rest.indexOf(cellMark, 1)) {
      yield* take(rest.slice(0, end));
      rest = rest.slice(end);
    }
    if (rest.length > cellLimit) throw new UnreadableExportError('This page is not an export by Google.');
  }
  if (rest.startsWith(cellMark)) isFirst = false;
  yield* take(rest + decoder.decode());
}
