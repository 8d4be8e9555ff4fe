import type { Locale } from '@roster/contracts/account';
import { localZone } from './text/day.ts';

/** The time zone and the language of this browser. */
export const browserLocale = (): Locale => ({
  timeZone: localZone(),
  language: navigator.language,
});
