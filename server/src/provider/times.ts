/** The provider's time limit where a user waits for the result of pressing a button. */
export const pressedMs = 5_000;

/** The provider's seconds since 1970; null where it is no time, or one after the year 2199. */
export function timeOf(seconds: number | null | undefined): string | null {
  if (seconds === null || seconds === undefined || !(seconds > 0) || seconds >= 7_258_118_400) return null;
  return new Date(seconds * 1000).toISOString();
}
