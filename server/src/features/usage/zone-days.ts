import { dayOf, daysBetween } from '@roster/contracts/usage/day';
import { canonicalTimeZone } from '@roster/contracts/usage/time-zone';

const quarterMs = 15 * 60_000;
const dayMs = 24 * 60 * 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats in a zone are slow to make. Kept for the zones of the fixed list only, so that they stay few. */
function formatIn(tz: string): Intl.DateTimeFormat {
  const known = formats.get(tz);
  if (known) return known;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'medium' });
  if (canonicalTimeZone(tz) === tz) formats.set(tz, format);
  return format;
}

/** YYYY-MM-DD of a moment in a zone. */
export const dayInZone = (tz: string, moment: number) => formatIn(tz).format(moment).slice(0, 10);

export const nextDay = (day: string, days = 1) => dayOf(Date.parse(`${day}T00:00:00Z`) + days * dayMs);

/** The first quarter of an hour that belongs to a day in a zone; 00:00 but where the clocks skip it. */
export function startOfDay(tz: string, day: string): number {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (tz === 'UTC') return midnight;
  // No zone is further from UTC than 15 hours.
  let before = (midnight - 15 * 60 * 60_000) / quarterMs;
  let from = (midnight + 15 * 60 * 60_000) / quarterMs;
  // Halved until one quarter is left; seven steps do for thirty hours.
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (dayInZone(tz, middle * quarterMs) < day) before = middle;
    else from = middle;
  }
  return from * quarterMs;
}

/** A day in a zone as a stretch of time; both ends lie on a quarter of an hour, the second one belongs to the next day. */
export type DaySpan = { day: string; from: number; to: number };

/** The days from `first` to `last`, both included. */
export function daysIn(tz: string, first: string, last: string): DaySpan[] {
  const format = formatIn(tz);
  const spans: DaySpan[] = [];
  let from = startOfDay(tz, first);
  const count = daysBetween({ from: first, to: last });
  for (let number = 0; number < count; number++) {
    const day = nextDay(first, number);
    const following = nextDay(first, number + 1);
    // Nearly always the next day begins 24 hours later; asking for that is quicker than searching.
    const usual = from + dayMs;
    const to = format.format(usual) === `${following} 00:00:00` ? usual : startOfDay(tz, following);
    spans.push({ day, from, to });
    from = to;
  }
  return spans;
}

/** As the rollup names its quarters. */
export const quarterOf = (moment: number | string) => {
  const time = typeof moment === 'string' ? Date.parse(moment) : moment;
  return new Date(Math.floor(time / quarterMs) * quarterMs).toISOString().slice(0, 16);
};
