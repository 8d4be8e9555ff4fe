/** The browser's own time zone. One that it can only name by its distance, as +03:30, is no zone that others know. */
export function localZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return /^[+-]/.test(timeZone) ? 'UTC' : timeZone;
}

/** YYYY-MM-DD of a moment in a zone. */
export function dayIn(tz: string, moment: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: tz, year: 'numeric', month: '2-digit', day: '2-digit' });
  const part = new Map(parts.formatToParts(moment).map(({ type, value }) => [type, value]));
  return `${part.get('year')}-${part.get('month')}-${part.get('day')}`;
}
