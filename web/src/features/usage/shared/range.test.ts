import { describe, expect, test } from 'vitest';
import { dayIn } from '#web/lib/text/day.ts';
import { addDays, daysBetween, formatRange, lastDays, parseRange, presetRange, rangeProblem } from './range.ts';

describe('days', () => {
  test.each([
    ['2027-03-01', -1, '2027-02-28'],
    ['2028-03-01', -1, '2028-02-29'],
    ['2026-12-31', 1, '2027-01-01'],
    // Dates of daylight saving changes in Europe and the United States.
    ['2026-03-29', 1, '2026-03-30'],
    ['2026-10-25', -1, '2026-10-24'],
    ['2026-11-01', 1, '2026-11-02'],
  ])('adds to %s %i days: %s', (day, days, expected) => expect(addDays(day, days)).toBe(expected));

  test('includes every day across months and daylight saving changes', () => {
    expect(lastDays(7, '2026-03-31')).toEqual({ from: '2026-03-25', to: '2026-03-31' });
    expect(lastDays(30, '2027-03-01')).toEqual({ from: '2027-01-31', to: '2027-03-01' });
    expect(lastDays(90, '2026-11-21')).toEqual({ from: '2026-08-24', to: '2026-11-21' });
    for (const count of [7, 30, 90, 366]) expect(daysBetween(lastDays(count, '2026-10-26'))).toBe(count);
  });

  test('uses the user’s time zone for today', () => {
    const moment = new Date('2026-10-25T23:30:00Z');
    expect(dayIn('UTC', moment)).toBe('2026-10-25');
    expect(dayIn('Europe/Berlin', moment)).toBe('2026-10-26');
    expect(dayIn('America/Los_Angeles', moment)).toBe('2026-10-25');
    expect(dayIn('Pacific/Kiritimati', moment)).toBe('2026-10-26');
  });
});

describe('calendar months', () => {
  test.each([
    ['2026-11-28', '2026-11-01', '2026-11-28'],
    ['2026-11-01', '2026-11-01', '2026-11-01'],
    ['2026-12-31', '2026-12-01', '2026-12-31'],
    ['2027-01-01', '2027-01-01', '2027-01-01'],
    ['2028-02-29', '2028-02-01', '2028-02-29'],
  ])('shows this month on %s from %s to %s', (today, from, to) =>
    expect(presetRange('this-month', today)).toEqual({ from, to }),
  );

  test.each([
    ['2026-11-28', '2026-10-01', '2026-10-31'],
    ['2026-12-31', '2026-11-01', '2026-11-30'],
    ['2027-01-01', '2026-12-01', '2026-12-31'],
    ['2027-01-31', '2026-12-01', '2026-12-31'],
    ['2027-03-31', '2027-02-01', '2027-02-28'],
    ['2028-03-01', '2028-02-01', '2028-02-29'],
  ])('shows last month on %s from %s to %s', (today, from, to) =>
    expect(presetRange('last-month', today)).toEqual({ from, to }),
  );

  test('change at midnight in the user’s time zone', () => {
    const newYear = new Date('2026-12-31T23:30:00Z');
    const lastMonthIn = (tz: string) => presetRange('last-month', dayIn(tz, newYear));
    expect(lastMonthIn('UTC')).toEqual({ from: '2026-11-01', to: '2026-11-30' });
    expect(lastMonthIn('Europe/Berlin')).toEqual({ from: '2026-12-01', to: '2026-12-31' });
    expect(lastMonthIn('America/Los_Angeles')).toEqual({ from: '2026-11-01', to: '2026-11-30' });
  });
});

describe('range in the address', () => {
  const today = '2026-11-21';
  test('defaults to the last 30 days', () => {
    expect(parseRange({}, today)).toEqual({ preset: 30, range: lastDays(30, today), problem: null });
    expect(parseRange({ range: 7 }, today)).toMatchObject({ preset: 7, range: { from: '2026-11-15', to: today } });
  });

  test('accepts a month', () =>
    expect(parseRange({ range: 'last-month' }, today)).toEqual({
      preset: 'last-month',
      range: { from: '2026-10-01', to: '2026-10-31' },
      problem: null,
    }));

  test('accepts two dates', () =>
    expect(parseRange({ range: 7, from: '2026-01-01', to: '2026-01-31' }, today)).toEqual({
      preset: null,
      range: { from: '2026-01-01', to: '2026-01-31' },
      problem: null,
    }));

  test('names the missing date', () =>
    expect(parseRange({ from: '2026-01-01' }, today)).toMatchObject({
      preset: null,
      problem: { to: 'Choose a day' },
    }));
});

describe('two dates', () => {
  test.each([
    ['2026-01-01', '2026-01-01'],
    ['2026-01-01', '2027-01-01'],
  ])('accepts %s to %s', (from, to) => expect(rangeProblem({ from, to })).toBeNull());

  test.each([
    ['2026-01-02', '2026-01-01', 'to', 'The end date must not be before the start date'],
    ['2026-01-01', '2027-01-02', 'from', 'Choose at most 366 days; this period has 367'],
    ['2026-04-31', '2026-05-01', 'from', 'Enter a valid date from 2000 to 2199'],
    ['2026-04-30', 'soon', 'to', 'Enter a valid date from 2000 to 2199'],
    ['0026-04-30', '2026-05-01', 'from', 'Enter a valid date from 2000 to 2199'],
    ['2026-05-01', '9999-12-31', 'to', 'Enter a valid date from 2000 to 2199'],
    ['', '2026-05-01', 'from', 'Choose a day'],
  ])('rejects %j to %j: %s', (from, to, field, words) =>
    expect(rangeProblem({ from, to })).toEqual({ [field]: words }),
  );
});

test('writes the year of a range once', () => {
  expect(formatRange({ from: '2026-10-23', to: '2026-11-21' })).toBe('October 23 – November 21, 2026');
  expect(formatRange({ from: '2026-11-21', to: '2026-11-21' })).toBe('November 21, 2026');
});
