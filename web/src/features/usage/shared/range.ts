import type { Preset } from './views.ts';

/** Days in the user's time zone, inclusive. */
export type DayRange = { from: string; to: string };

/** Range in the address: a preset or two dates; the default if empty. */
export type RangeSearch = { range?: Preset | undefined; from?: string | undefined; to?: string | undefined };

const usual: Preset = 30;
const dayMs = 86_400_000;
/** Same as in the contract, which this page does not import because of its schemas. */
const maxRangeDays = 366;
const [earliestDay, latestDay] = ['2000-01-01', '2199-12-31'];

// Days are counted in UTC, where each has 24 hours, so that daylight saving changes nothing.
const numberOf = (day: string) => Date.parse(`${day}T00:00:00Z`) / dayMs;

export const daysBetween = ({ from, to }: DayRange): number => numberOf(to) - numberOf(from) + 1;

export const addDays = (day: string, days: number): string =>
  new Date((numberOf(day) + days) * dayMs).toISOString().slice(0, 10);

export const lastDays = (count: number, today: string): DayRange => ({ from: addDays(today, 1 - count), to: today });

const firstOfMonth = (day: string) => `${day.slice(0, 8)}01`;

/** The days of a preset as of `today`. A month that has not ended stops today. */
export function presetRange(preset: Preset, today: string): DayRange {
  if (typeof preset === 'number') return lastDays(preset, today);
  const first = firstOfMonth(today);
  if (preset === 'this-month') return { from: first, to: today };
  const to = addDays(first, -1);
  return { from: firstOfMonth(to), to };
}

/** True for an existing date; April 31 is none. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

export type RangeProblem = { from?: string; to?: string };

/** The first error of a range, with its field; null if it is valid. */
export function rangeProblem({ from, to }: DayRange): RangeProblem | null {
  const isPossible = (text: string) => isDay(text) && earliestDay <= text && text <= latestDay;
  const noDay = (text: string) =>
    text === '' ? 'Choose a day' : isPossible(text) ? undefined : 'Enter a valid date from 2000 to 2199';
  const [noFrom, noTo] = [noDay(from), noDay(to)];
  if (noFrom || noTo) return { ...(noFrom && { from: noFrom }), ...(noTo && { to: noTo }) };
  const days = daysBetween({ from, to });
  if (days < 1) return { to: 'The end date must not be before the start date' };
  if (days > maxRangeDays) return { from: `Choose at most ${maxRangeDays} days; this period has ${days}` };
  return null;
}

export type Chosen = { preset: Preset | null; range: DayRange; problem: RangeProblem | null };

/** The range in the address, or the default. */
export function parseRange({ range, from, to }: RangeSearch, today: string): Chosen {
  if (from === undefined && to === undefined) {
    const preset = range ?? usual;
    return { preset, range: presetRange(preset, today), problem: null };
  }
  const custom = { from: from ?? '', to: to ?? '' };
  return { preset: null, range: custom, problem: rangeProblem(custom) };
}

const year = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const short = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** 'October 23 – November 21, 2026' */
export const formatRange = ({ from, to }: DayRange): string =>
  year
    .formatRange(new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`))
    // Replace thin spaces, around which some fonts set the dash too tightly.
    .replaceAll('\u2009', ' ');

/** 'Nov 21' */
export const formatShortDay = (day: string): string => short.format(new Date(`${day}T00:00:00Z`));
