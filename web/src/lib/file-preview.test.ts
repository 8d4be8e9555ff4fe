import { describe, expect, test } from 'vitest';
import { maxPreviewText, parseDelimited, readPreview } from './file-preview.ts';

const preview = (filename: string, content: BodyInit) => readPreview(filename, new Response(content));
const bytes = (...values: number[]) => new Uint8Array(values);

describe('detects content by bytes', () => {
  test.each([
    ['PNG', bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0), 'image/png'],
    ['JPEG', bytes(0xff, 0xd8, 0xff, 0xe0, 0), 'image/jpeg'],
    ['GIF', new TextEncoder().encode('GIF89a\0'), 'image/gif'],
    ['WebP', new TextEncoder().encode('RIFF\0\0\0\0WEBPVP8 '), 'image/webp'],
  ])('detects %s, whatever its name', async (_, content, type) => {
    const shown = await preview('notes.txt', content);
    expect(shown.kind === 'image' && [shown.image.type, shown.image.size]).toEqual([type, content.length]);
  });

  test('loads an image of several chunks completely', async () => {
    const content = new Uint8Array(300_000);
    content.set([0xff, 0xd8, 0xff]);
    const shown = await preview('photo.jpg', content);
    expect(shown.kind === 'image' && shown.image.size).toBe(300_000);
  });

  test('shows HTML and SVG as text', async () => {
    const text = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    expect(await preview('a.svg', text)).toEqual({ kind: 'text', text, isWhole: true });
  });

  test('does not show PDF and other binary files', async () => {
    expect(await preview('a.txt', '%PDF-1.7')).toEqual({ kind: 'pdf' });
    expect(await preview('a.png', bytes(1, 0, 2))).toEqual({ kind: 'none' });
    expect(await preview('a.txt', bytes(0xc3, 0x28))).toEqual({ kind: 'none' });
  });

  test('truncates a long text between characters', async () => {
    const shown = await preview('a.txt', 'äö'.repeat(maxPreviewText));
    expect(shown).toEqual({ kind: 'text', text: 'äö'.repeat(maxPreviewText / 4), isWhole: false });
    // 'x' followed by two-byte characters, so that the limit falls inside a character.
    const odd = await preview('a.txt', `x${'ä'.repeat(maxPreviewText)}`);
    expect(odd.kind === 'text' && odd.text).toBe(`x${'ä'.repeat(maxPreviewText / 2 - 1)}`);
  });

  test('shows a text of exactly the limit completely', async () => {
    expect(await preview('a.txt', 'x'.repeat(maxPreviewText))).toMatchObject({ isWhole: true });
  });

  test('shows CSV as a table without a truncated last record', async () => {
    expect(await preview('a.csv', 'name,age\nAda,36\n')).toEqual({
      kind: 'table',
      rows: [
        ['name', 'age'],
        ['Ada', '36'],
      ],
      isWhole: true,
    });
    const long = await preview('a.csv', 'x'.repeat(3000).concat(',y\n').repeat(50));
    expect(long.kind === 'table' && [long.rows.length, long.isWhole]).toEqual([21, false]);
    expect(long.kind === 'table' && long.rows.every((row) => row[1] === 'y')).toBe(true);
  });
});

test('parses records with quotes, line breaks and empty fields', () => {
  expect(parseDelimited('a,"b, ""c""\nd",\r\n\n,e', ',')).toEqual([
    ['a', 'b, "c"\nd', ''],
    ['', 'e'],
  ]);
});
