import { expect, test } from 'vitest';
import { ToolOutputBudget } from './tool-output-budget.ts';

const megabyte = 1024 * 1024;
const ofSize = (size: number) => 'x'.repeat(size);

test('cuts one output above a megabyte, and all outputs above ten', () => {
  const room = new ToolOutputBudget([{ output: ofSize(8 * megabyte) }, { output: null }]);
  expect(room.take('Rain\0')).toBe('Rain\uFFFD');
  const long = room.take(ofSize(3 * megabyte));
  expect(long.slice(megabyte)).toBe('\n[Cut: the tool said more.]');
  expect(room.isFull).toBe(false);
  const last = room.take(ofSize(megabyte));
  expect(last.length).toBeLessThan(megabyte + 100);
  expect(last).toMatch(
    /\[Cut: the tools of this answer have said more than 10 MB together\. No more can be called in it\.\]$/,
  );
  expect(room.isFull).toBe(true);
  expect(room.take(ofSize(megabyte)).length).toBeLessThan(200);
});
