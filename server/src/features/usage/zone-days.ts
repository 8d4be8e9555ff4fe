import { dayOf, daysBetween } from '@roster/contracts/usage/day';
import { canonicalTimeZone } from '@roster/contracts/usage/time-zone';

const quarterMs = 15 * 60_000;
const dayMs = 24 * 60 * 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Creating formats with a zone is slow. Only zones of the fixed list are cached, which bounds the cache. */
function formatIn(tz: string): Intl.DateTimeFormat {
  const cached = formats.get(tz);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'medium' });
  if (canonicalTimeZone(tz) === tz) formats.set(tz, format);
  return format;
}

/** The day (YYYY-MM-DD) of a moment in a zone. */
export const dayInZone = (tz: string, moment: number) => formatIn(tz).format(moment).slice(0, 10);

export const nextDay = (day: string, days = 1) => dayOf(Date.parse(`${day}T00:00:00Z`) + days * dayMs);

/** The first quarter of an hour of a day in a zone: 00:00, unless the clocks skip it. */
export function startOfDay(tz: string, day: string): number {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (tz === 'UTC') return midnight;
  // No zone is further than 15 hours from UTC.
  let before = (midnight - 15 * 60 * 60_000) / quarterMs;
  let from = (midnight + 15 * 60 * 60_000) / quarterMs;
  // Binary search until one quarter is left; seven steps cover thirty hours.
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (dayInZone(tz, middle * quarterMs) < day) before = middle;
    else from = middle;
  }
  return from * quarterMs;
}

/** A day in a zone as a time span. Both ends are quarters of an hour; `to` belongs to the next day. */
export type DaySpan = { day: string; from: number; to: number };

export function daysIn(tz: string, first: string, last: string): DaySpan[] {
  const format = formatIn(tz);
  const spans: DaySpan[] = [];
  let from = startOfDay(tz, first);
  const count = daysBetween({ from: first, to: last });
  for (let number = 0; number < count; number++) {
    const day = nextDay(first, number);
    const following = nextDay(first, number + 1);
    // The next day nearly always starts 24 hours later; checking that is faster than searching.
    const usual = from + dayMs;
    const to = format.format(usual) === `${following} 00:00:00` ? usual : startOfDay(tz, following);
    spans.push({ day, from, to });
    from = to;
  }
  return spans;
}

/** The quarter’s name in the sums. */
export const quarterOf = (moment: number | string) => {
  const time = typeof moment === 'string' ? Date.parse(moment) : moment;
  return new Date(Math.floor(time / quarterMs) * quarterMs).toISOString().slice(0, 16);
};
