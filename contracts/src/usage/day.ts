import { z } from 'zod';

/** The days that can be asked for: nothing here is older, and later years have other lengths. */
export const earliestDay = '2000-01-01';
export const latestDay = '2199-12-31';

/** A day of the calendar, YYYY-MM-DD. */
export const Day = z.iso
  .date({ error: 'Enter a day as YYYY-MM-DD', abort: true })
  .refine((day) => earliestDay <= day && day <= latestDay, {
    error: `Enter a day from ${earliestDay} to ${latestDay}`,
    abort: true,
  });

/** The day of a moment (milliseconds since 1970), in UTC. */
export const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

/** Of a range from one day to another, both included; less than 1 where they are in the wrong order. */
export const daysBetween = ({ from, to }: { from: string; to: string }): number =>
  (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
