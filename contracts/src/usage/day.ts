import { z } from 'zod';

/** The supported days. Nothing here is older, and much later years are written with more digits. */
const earliestDay = '2000-01-01';
const latestDay = '2199-12-31';

/** A day of the calendar, YYYY-MM-DD. */
export const Day = z.iso
  .date({ error: 'Enter a day as YYYY-MM-DD', abort: true })
  .refine((day) => earliestDay <= day && day <= latestDay, {
    error: `Enter a day from ${earliestDay} to ${latestDay}`,
    abort: true,
  });

/** The day of a moment (milliseconds since 1970), in UTC. */
export const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

/** The number of days from `from` to `to`, inclusive; less than 1 if they are in the wrong order. */
export const daysBetween = ({ from, to }: { from: string; to: string }): number =>
  (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
