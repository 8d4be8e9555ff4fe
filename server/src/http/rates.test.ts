import { expect, test } from 'vitest';
import { createRates } from '#server/http/rates';

function ratesAt(scale = 1, maxKeys?: number) {
  const clock = { now: 0 };
  return { clock, rates: createRates(scale, maxKeys, () => clock.now) };
}

test('uses are counted in a window that begins with the first', () => {
  const { clock, rates } = ratesAt();
  for (let use = 1; use <= 5; use++) rates.use('register', 'a');
  clock.now = 3_599_000;
  expect(() => rates.use('register', 'a')).toThrow(
    expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }),
  );
  rates.use('register', 'b');
  clock.now = 3_600_000;
  rates.use('register', 'a');
});

test('what is said about the wait can be acted on', () => {
  const { clock, rates } = ratesAt();
  for (let use = 1; use <= 5; use++) rates.use('register', 'a');
  expect(() => rates.use('register', 'a')).toThrow('Please wait 60 minutes');
  clock.now = 3_540_000;
  expect(() => rates.use('register', 'a')).toThrow('Please wait 60 seconds');
});

test('the scale multiplies each limit', () => {
  const { rates } = ratesAt(2);
  for (let use = 1; use <= 10; use++) rates.use('register', 'a');
  expect(() => rates.use('register', 'a')).toThrow('Too many attempts');
});

test('a full memory refuses new keys rather than forgetting limits, until windows end', () => {
  const { clock, rates } = ratesAt(1, 3);
  for (const key of ['a', 'b', 'c']) for (let use = 1; use <= 5; use++) rates.use('register', key);
  expect(() => rates.use('register', 'd')).toThrow('Too many attempts');
  expect(() => rates.use('register', 'a')).toThrow('Too many attempts');
  clock.now = 3_600_000;
  rates.use('register', 'd');
});
