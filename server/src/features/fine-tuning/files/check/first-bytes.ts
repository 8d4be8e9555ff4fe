const looksAt = 4096;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

type FirstBytes = { kind: 'text'; hasMark: boolean } | { kind: 'other'; message: string; fix: string };

const other = (message: string, fix: string): FirstBytes => ({ kind: 'other', message, fix });

/**
 * Tells from the first bytes if a file can be JSONL at all. If not, one problem is reported instead of one for each
 * line.
 */
export function detectContent(chunk: Buffer): FirstBytes {
  const start = chunk.subarray(0, looksAt);
  const [first = 0, second = 0] = start;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return other('The file is UTF-16 text.', 'Save it with the encoding UTF-8.');
  if (start.includes(0))
    return other('The file is not text.', 'Choose a JSONL file: plain text with one JSON object on each line.');
  const hasMark = start.subarray(0, 3).equals(byteOrderMark);
  const text = start.subarray(hasMark ? 3 : 0).toString();
  if (/^\s*\[/.test(text))
    return other(
      'The file is one JSON list.',
      'Put each example of the list on a line of its own, without [ ] and commas.',
    );
  if (/^\s*\{\s*\n/.test(text)) return other('An example goes over several lines.', 'Write each example on one line.');
  return { kind: 'text', hasMark };
}
