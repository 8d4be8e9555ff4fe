const locale = 'en-US';
const longDate = new Intl.DateTimeFormat(locale, { dateStyle: 'long' });
const longDateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' });
const clockTime = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const number = new Intl.NumberFormat(locale);
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

/** 'November 20, 2026'. A plain day (`YYYY-MM-DD`) is the same day in every time zone. */
export function formatLongDate(date: string | Date): string {
  const isPlainDay = typeof date === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(date);
  return longDate.format(new Date(isPlainDay ? `${date}T00:00` : date));
}

/** 'November 20, 2026 at 4:32 PM' */
export const formatDateTime = (date: string | Date): string => longDateTime.format(new Date(date));

/** '4:32 PM' */
export const formatTime = (date: string | Date): string => clockTime.format(new Date(date));

/** '1,234' */
export const formatNumber = (value: number): string => number.format(value);

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** 'just now', '5 minutes ago', 'yesterday' */
export function formatRelative(date: string | Date, now: number = Date.now()): string {
  const seconds = (new Date(date).getTime() - now) / 1000;
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return 'just now';
}

/** Expected time: 'in 5 minutes', 'any moment now' (an estimate may have passed). */
export function formatExpected(date: string | Date, now: number = Date.now()): string {
  const seconds = (new Date(date).getTime() - now) / 1000;
  if (seconds >= 60) return formatRelative(date, now);
  return seconds > 0 ? 'in less than a minute' : 'any moment now';
}

const bytesPerMegabyte = 1_048_576;

/** '1.25 MB'; 1 MB is 1,048,576 bytes. */
export function formatMegabytes(bytes: number): string {
  return `${(bytes / bytesPerMegabyte).toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })} MB`;
}

/** '3.2 KB', '812 bytes': for sizes that megabytes round to nothing. */
export function formatSmallSize(bytes: number): string {
  if (bytes < 1024) return formatCount(bytes, 'byte');
  return `${(bytes / 1024).toLocaleString(locale, { maximumFractionDigits: 1 })} KB`;
}

/** '$12.40', '$0.0031'; never rounds a positive amount to zero. null (price unknown) is '—'. */
export function formatCost(usd: number | null): string {
  if (usd === null) return '—';
  const small = usd !== 0 && Math.abs(usd) < 0.1;
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    ...(small ? { maximumSignificantDigits: 2, roundingPriority: 'morePrecision' } : { maximumFractionDigits: 2 }),
  }).format(usd);
}

/** Label of a tick on a cost axis: '$0.002', '$2.50', '$1,500'. `step` is the distance between ticks. */
export function formatAxisCost(usd: number, step: number): string {
  const digits = step >= 1 ? 0 : Math.max(2, Math.ceil(-Math.log10(step) - 1e-9));
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(usd);
}

/** '1 assistant', '3 assistants' */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
