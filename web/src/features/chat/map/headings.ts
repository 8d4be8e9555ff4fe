/** Markdown that the page does not show in a heading. */
const marks = /[*_`~]|\\(?=[^\w\s])/g;
const link = /!?\[([^\]]*)\]\([^)]*\)/g;

export const plainText = (text: string): string => text.replace(link, '$1').replaceAll(marks, '').trim();

/** The headings of an answer, without lines of code that look like some. */
export function headingsOf(text: string): string[] {
  const headings: string[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      const isEnd = mark?.startsWith(fence) && /^\s*[`~]+\s*$/.test(line);
      if (isEnd) fence = undefined;
    } else if (mark) fence = mark;
    else {
      const heading = plainText(/^ {0,3}#{1,4}\s+(.*?)(?:\s+#+)?\s*$/.exec(line)?.[1] ?? '');
      if (heading !== '') headings.push(heading);
    }
  }
  return headings;
}
