import { describe, expect, test } from 'vitest';
import { InvalidScheduleError, parseSchedule } from './backup-schedule.ts';

const after = (schedule: string, time: string) => parseSchedule(schedule).next(new Date(time)).toISOString();

describe('schedule', () => {
  test.each([
    ['daily 03:00', '2026-11-23T02:59:59.999Z', '2026-11-23T03:00:00.000Z'],
    ['daily 03:00', '2026-11-23T03:00:00.000Z', '2026-11-24T03:00:00.000Z'],
    ['0 3 * * *', '2026-12-31T04:00:00.000Z', '2027-01-01T03:00:00.000Z'],
    ['*/15 * * * *', '2026-11-23T10:16:00.000Z', '2026-11-23T10:30:00.000Z'],
    ['30/15 8-9,20 * * *', '2026-11-23T09:45:00.000Z', '2026-11-23T20:30:00.000Z'],
    // A Monday; a Sunday is 0 and 7.
    ['0 0 * * 7', '2026-11-23T00:00:00.000Z', '2026-11-29T00:00:00.000Z'],
    ['0 0 * * 0', '2026-11-23T00:00:00.000Z', '2026-11-29T00:00:00.000Z'],
    ['0 0 1 * 5', '2026-11-23T00:00:00.000Z', '2026-11-27T00:00:00.000Z'],
    ['0 0 1 * 5', '2026-11-28T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
    // Mondays on odd days only.
    ['0 0 */2 * 1', '2026-11-01T00:00:00.000Z', '2026-11-09T00:00:00.000Z'],
    ['0 0 29 2 *', '2096-03-01T00:00:00.000Z', '2104-02-29T00:00:00.000Z'],
  ])('computes for %s after %s the next time %s', (schedule, time, due) => {
    expect(after(schedule, time)).toBe(due);
  });

  test.each([
    ['', 'Write “daily 03:00”'],
    ['hourly', 'Write “daily 03:00”'],
    ['daily 24:00', 'is no hour'],
    ['daily 03:60', 'is no minute'],
    ['* * * *', 'the five fields'],
    ['* * * * * *', 'the five fields'],
    ['60 * * * *', 'is no minute'],
    ['5-1 * * * *', 'is no minute'],
    ['*/0 * * * *', 'is no minute'],
    ['-1 * * * *', 'is no minute'],
    ['1e1 * * * *', 'is no minute'],
    ['0 0 0 * *', 'is no day'],
    ['0 0 * JAN *', 'is no month'],
    ['0 0 * * 8', 'is no weekday'],
    ['0 0 31 2 *', 'There is no such day'],
    [`${'1,'.repeat(5_000)}1 * * * *`, 'too long'],
  ])('rejects %s', (schedule, message) => {
    expect(() => parseSchedule(schedule)).toThrow(InvalidScheduleError);
    expect(() => parseSchedule(schedule)).toThrow(message);
  });
});
