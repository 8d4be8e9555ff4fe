/** The browser's time zone. UTC if it knows only an offset such as +03:30, which is not a zone name. */
export function localZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return /^[+-]/.test(timeZone) ? 'UTC' : timeZone;
}

/** Day (YYYY-MM-DD) of a moment in a time zone. */
export function dayIn(tz: string, moment: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: tz, year: 'numeric', month: '2-digit', day: '2-digit' });
  const part = new Map(parts.formatToParts(moment).map(({ type, value }) => [type, value]));
  return `${part.get('year')}-${part.get('month')}-${part.get('day')}`;
}
