import { describe, expect, test } from 'vitest';
import { resultText } from './result.ts';

describe('results of tools', () => {
  const text = (answer: unknown) => resultText(answer).text;

  test('returns text, and mentions what is not text', () => {
    const data = Buffer.alloc(12 * 1024).toString('base64');
    const content = [
      { type: 'text', text: 'Hello\0' },
      { type: 'image', data, mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'https://example.org/a', name: 'a' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'Inside' } },
      { type: 'resource', resource: { uri: 'file:///a.bin', blob: data } },
      { type: 'hologram' },
      null,
    ];
    expect(text({ content })).toBe(
      [
        'Hello',
        '[image, 12 KB]',
        '[audio, 3 bytes]',
        '[link to https://example.org/a]',
        '[resource file:///a.txt]\nInside',
        '[resource file:///a.bin, 12 KB]',
        '[something that cannot be shown]',
        '[something that cannot be shown]',
      ].join('\n'),
    );
    expect(resultText({ content: [{ type: 'text', text: 'No' }], isError: true })).toEqual({
      text: 'No',
      isError: true,
    });
  });

  test('uses the structure if there is no text', () => {
    expect(text({ content: [], structuredContent: { sum: 5 } })).toBe('{"sum":5}');
    expect(text({ content: [{ type: 'text', text: 'five' }], structuredContent: { sum: 5 } })).toBe('five');
    expect(text({})).toBe('');
  });

  test('cuts after a megabyte, between two characters, and says so', () => {
    const long = text({ content: [{ type: 'text', text: `a${'é'.repeat(1024 * 1024)}` }] });
    expect(long).toMatch(/^aé+\n\[Cut here: the tool has answered with 2.0 MB, and this is the first megabyte.\]$/);
    expect(Buffer.byteLength(long)).toBeLessThan(1024 * 1024 + 200);
    const exact = 'x'.repeat(1024 * 1024);
    expect(text({ content: [{ type: 'text', text: exact }] })).toBe(exact);
    expect(text({ content: Array.from({ length: 5_000 }, () => ({ type: 'text', text: 'x' })) })).toContain(
      '[4000 further parts were left out]',
    );
  });
});
