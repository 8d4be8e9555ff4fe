/** True for a zone that the Intl API of this browser or server knows by its IANA name. */
export function isTimeZone(name: string): boolean {
  // An offset such as +01:00 is accepted by Intl, but does not follow daylight saving time.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** True for a well-formed language tag, such as `de-CH`. */
export function isLanguageTag(tag: string): boolean {
  if (!/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,8}$/.test(tag)) return false;
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
