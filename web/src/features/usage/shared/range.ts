/** Days in the reader's own time zone, both included. */
export type DayRange = { from: string; to: string };

export const presets = [7, 30, 90] as const;
export type Preset = (typeof presets)[number];

/** What the address says: a number of days up to today, or two days; nothing is the usual range. */
export type RangeSearch = { range?: Preset | undefined; from?: string | undefined; to?: string | undefined };

const usual: Preset = 30;
const dayMs = 86_400_000;
/** As the server's contract has them; they stand beside its schemas, which this page does not load. */
export const maxRangeDays = 366;
const [earliestDay, latestDay] = ['2000-01-01', '2199-12-31'];

// Days are counted as if in UTC, where each has 24 hours; so no change of the clocks can add or lose one.
const numberOf = (day: string) => Date.parse(`${day}T00:00:00Z`) / dayMs;

export const daysBetween = ({ from, to }: DayRange): number => numberOf(to) - numberOf(from) + 1;

export const addDays = (day: string, days: number): string =>
  new Date((numberOf(day) + days) * dayMs).toISOString().slice(0, 10);

export const lastDays = (count: number, today: string): DayRange => ({ from: addDays(today, 1 - count), to: today });

/** Whether this is a day of the calendar: not the 31st of April. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

export type RangeProblem = { from?: string; to?: string };

/** What is wrong with two days, beside the field that is to be changed; null where nothing is. */
export function rangeProblem({ from, to }: DayRange): RangeProblem | null {
  const isPossible = (text: string) => isDay(text) && earliestDay <= text && text <= latestDay;
  const noDay = (text: string) =>
    text === '' ? 'Choose a day' : isPossible(text) ? undefined : 'Enter a day that exists, from 2000 to 2199';
  const [noFrom, noTo] = [noDay(from), noDay(to)];
  if (noFrom || noTo) return { ...(noFrom && { from: noFrom }), ...(noTo && { to: noTo }) };
  const days = daysBetween({ from, to });
  if (days < 1) return { to: 'The last day must not be before the first' };
  if (days > maxRangeDays) return { from: `At most ${maxRangeDays} days can be shown at once; these are ${days}` };
  return null;
}

export type Chosen = { preset: Preset | null; range: DayRange; problem: RangeProblem | null };

/** What the address asks for. */
export function parseRange({ range, from, to }: RangeSearch, today: string): Chosen {
  if (from === undefined && to === undefined) {
    const preset = range ?? usual;
    return { preset, range: lastDays(preset, today), problem: null };
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
    // Thin spaces, by which some fonts set the dash too close.
    .replaceAll('\u2009', ' ');

/** 'Nov 21' */
export const formatShortDay = (day: string): string => short.format(new Date(`${day}T00:00:00Z`));
