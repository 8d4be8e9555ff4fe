import { graphemeStart, truncate } from '@roster/contracts/text/truncate';
import { describe, expect, test } from 'vitest';

describe('cutting a text', () => {
  test.each(['👨‍👩‍👧‍👦', '🇩🇪', '👍🏽', 'e\u0301', 'नि', '각', '\r\n', '🦜'])('never ends inside %j', (whole) => {
    const text = `ab${whole.repeat(3)}c`;
    const ends = [0, 1, 2, 3].flatMap((count) => `ab${whole.repeat(count)}`.length);
    for (let max = 2; max < text.length; max++) {
      const cut = truncate(text, max);
      expect(ends).toContain(cut.length);
      expect(max - cut.length).toBeLessThan(whole.length);
    }
    expect(truncate(text, text.length)).toBe(text);
  });

  test('finds the match in a long text without processing all of it', () => {
    const text = `${'🦜'.repeat(400_000)}x`;
    const since = process.cpuUsage();
    for (let at = 500_000; at < 500_100; at++) expect(graphemeStart(text, at)).toBe(at - (at % 2));
    // CPU time, which stays below a second on a busy machine too.
    expect(process.cpuUsage(since).user).toBeLessThan(1_000_000);
  });

  test('cuts a character that is longer than the limit between its marks', () => {
    const text = `e${'\u0301'.repeat(5_000)}`;
    expect(truncate(text, 60)).toHaveLength(60);
    const parrots = '🦜\u200d'.repeat(2_000);
    expect(truncate(parrots, 1_501).isWellFormed()).toBe(true);
    expect(truncate(parrots, 1_501).length).toBeGreaterThan(1_400);
  });
});
