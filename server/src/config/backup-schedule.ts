const dayMs = 24 * 60 * 60_000;
/** Every fourth year except three in four centuries has a February 29. */
const furthestDays = 8 * 366 + 1;

type Field = { name: string; from: number; to: number };
const fields = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12 },
  { name: 'weekday', from: 0, to: 7 },
] as const satisfies readonly Field[];

/** Next due times, in UTC: in local time a job could run twice or never when the clock changes. */
type Schedule = {
  /** The first minute after this time. */
  next: (after: Date) => Date;
};

export class InvalidScheduleError extends Error {
  override name = 'InvalidScheduleError';
}

/** One part of a field: `*`, `5`, `1-5`, each with an optional step. */
function parsePart(text: string, { name, from, to }: Field): number[] {
  const [, range = '', low, high, step] = /^(\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(text) ?? [];
  const first = range === '*' ? from : Number(low);
  const last = range === '*' || (high === undefined && step !== undefined) ? to : Number(high ?? low);
  const every = Number(step ?? 1);
  if (range === '' || first < from || last > to || first > last || every < 1)
    throw new InvalidScheduleError(
      `“${text}” is no ${name} (${from} to ${to}, lists as 1,15, ranges as 1-5, steps as */2)`,
    );
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, index) => first + index * every);
}

function parseField(text: string, field: Field): ReadonlySet<number> {
  if (text.length > 200) throw new InvalidScheduleError(`The ${field.name} is too long`);
  return new Set(text.split(',').flatMap((part) => parsePart(part, field)));
}

/** @throws InvalidScheduleError with what is wrong */
export function parseSchedule(text: string): Schedule {
  const [, hour, minute] = /^daily (\d{1,2}):(\d{2})$/.exec(text.trim()) ?? [];
  const words = hour === undefined ? text.trim().split(/\s+/) : [minute ?? '', hour, '*', '*', '*'];
  if (words.length !== fields.length)
    throw new InvalidScheduleError(
      'Write “daily 03:00”, or the five fields of cron: minute, hour, day, month and weekday',
    );
  const [minutes, hours, days, months, weekdays] = fields.map((field, index) => parseField(words[index] ?? '', field));
  if (!minutes || !hours || !days || !months || !weekdays) throw new InvalidScheduleError('A field is missing');

  // As in cron: if both day and weekday are given, either may match; a `*` with a step does not count as given.
  const [isAnyDay, isAnyWeekday] = [words[2], words[4]].map((word) => word?.startsWith('*'));
  function isDue(day: Date): boolean {
    if (!months?.has(day.getUTCMonth() + 1)) return false;
    const isDay = days?.has(day.getUTCDate()) === true;
    const weekday = day.getUTCDay();
    const isWeekday = weekdays?.has(weekday) === true || (weekday === 0 && weekdays?.has(7) === true);
    return isAnyDay || isAnyWeekday ? isDay && isWeekday : isDay || isWeekday;
  }
  const times = [...hours]
    .flatMap((inHour) => [...minutes].map((inMinute) => (inHour * 60 + inMinute) * 60_000))
    .toSorted((a, b) => a - b);

  function next(after: Date): Date {
    const today = Math.floor(after.getTime() / dayMs) * dayMs;
    for (let day = today; day < today + furthestDays * dayMs; day += dayMs) {
      if (!isDue(new Date(day))) continue;
      const time = times.find((since) => day + since > after.getTime());
      if (time !== undefined) return new Date(day + time);
    }
    throw new InvalidScheduleError('There is no such day');
  }
  next(new Date(0));
  return { next };
}
