import { describe, expect, test } from 'vitest';
import { labelledBars, valueTicks } from './ticks.ts';

describe('value ticks', () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 0.5, 1]],
    [0.0031, [0, 0.001, 0.002, 0.003, 0.004]],
    [7, [0, 2, 4, 6, 8]],
    [40, [0, 10, 20, 30, 40]],
    [41, [0, 20, 40, 60]],
    [0.3, [0, 0.1, 0.2, 0.3]],
    [1234, [0, 500, 1000, 1500]],
  ])('reaches %s', (max, ticks) => expect(valueTicks(max)).toEqual(ticks));

  test('covers every maximum with a few round steps', () => {
    for (let max = 0.000_001; max < 1e7; max *= 1.37) {
      const ticks = valueTicks(max);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max * (1 - 1e-9));
      expect(ticks.length).toBeGreaterThanOrEqual(3);
      expect(ticks.length).toBeLessThanOrEqual(6);
    }
  });
});

describe('bar labels', () => {
  test('labels every bar if there is room', () => expect(labelledBars(3, 10)).toEqual([0, 1, 2]));
  test('spaces labels evenly and keeps the last', () => {
    expect(labelledBars(30, 5)).toEqual([5, 11, 17, 23, 29]);
    expect(labelledBars(90, 4)).toEqual([20, 43, 66, 89]);
    expect(labelledBars(1, 0)).toEqual([0]);
    expect(labelledBars(0, 4)).toEqual([]);
  });
});
