import { describe, expect, test } from 'vitest';
import { dayInZone, daysIn, nextDay, quarterOf, startOfDay } from './zone-days.ts';

const iso = (moment: number) => new Date(moment).toISOString();

describe('a day in a zone', () => {
  test.each([
    ['UTC', '2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['Europe/Berlin', '2026-11-20', '2026-11-19T23:00:00.000Z'],
    ['America/New_York', '2026-07-04', '2026-07-04T04:00:00.000Z'],
    ['Asia/Kathmandu', '2026-11-20', '2026-11-19T18:15:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z'],
    ['Pacific/Pago_Pago', '2026-01-01', '2026-01-01T11:00:00.000Z'],
    // At midnight, clocks in Havana jump to one o’clock.
    ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z'],
  ])('starts in %s on %s at %s', (tz, day, start) => {
    expect(iso(startOfDay(tz, day))).toBe(start);
    expect(dayInZone(tz, startOfDay(tz, day))).toBe(day);
    expect(dayInZone(tz, startOfDay(tz, day) - 1)).toBe(nextDay(day, -1));
  });

  test('is listed for as many days as requested, even after the year 9999', () => {
    expect(daysIn('UTC', '9999-12-31', '9999-12-31')).toHaveLength(1);
    expect(daysIn('Europe/Berlin', '2199-12-31', '2199-12-31')).toHaveLength(1);
  });

  test('has 23 or 25 hours when the clocks change', () => {
    const hours = (day: string) => daysIn('Europe/Berlin', day, day).map(({ from, to }) => (to - from) / 3_600_000);
    expect([hours('2026-03-29'), hours('2026-10-25'), hours('2026-11-20')]).toEqual([[23], [25], [24]]);
  });

  test.each(['UTC', 'Europe/Berlin', 'America/Havana', 'Australia/Lord_Howe', 'Asia/Beirut'])(
    'follows the previous day without a gap in %s',
    (tz) => {
      const days = daysIn(tz, '2026-01-01', '2026-12-31');
      expect(days.map(({ day }) => day)).toEqual(Array.from({ length: 365 }, (_, at) => nextDay('2026-01-01', at)));
      for (const [at, { from, to }] of days.entries()) {
        expect(to).toBe(days[at + 1]?.from ?? to);
        expect(from).toBe(startOfDay(tz, nextDay('2026-01-01', at)));
      }
    },
  );
});

test('names a quarter of an hour by its beginning', () => {
  expect(quarterOf('2026-11-20T13:44:59.999Z')).toBe('2026-11-20T13:30');
  expect(quarterOf(Date.parse('2026-11-20T13:45:00Z'))).toBe('2026-11-20T13:45');
});
