import { z } from 'zod';

/** Current names of zones that are listed under an older name; some browsers send these. */
const newerNames = [
  'Africa/Asmara',
  'America/Argentina/Buenos_Aires',
  'America/Argentina/Catamarca',
  'America/Argentina/Cordoba',
  'America/Argentina/Jujuy',
  'America/Argentina/Mendoza',
  'America/Atikokan',
  'America/Indiana/Indianapolis',
  'America/Kentucky/Louisville',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Kanton',
  'Pacific/Pohnpei',
];

let names: ReadonlyMap<string, string> | undefined;

/** All zone names by their lower-case form. Created on first use, because a page without times does not need it. */
function zones(): ReadonlyMap<string, string> {
  const fixed = Array.from({ length: 27 }, (_, at) => at - 14).filter((hours) => hours !== 0);
  names ??= new Map(
    [
      'UTC',
      ...newerNames,
      ...Intl.supportedValuesOf('timeZone'),
      ...fixed.map((at) => `Etc/GMT${at < 0 ? '' : '+'}${at}`),
    ].map((name) => [name.toLowerCase(), name]),
  );
  return names;
}

/** The zone’s correctly spelled name for any spelling or older name; undefined: unknown. */
export function canonicalTimeZone(text: string): string | undefined {
  const zone = zones().get(text.toLowerCase());
  if (zone !== undefined) return zone;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return zones().get(timeZone.toLowerCase());
  } catch {
    return undefined;
  }
}

export const TimeZone = z
  .string()
  .max(64, 'This time zone is not known')
  .transform((text, context) => {
    const name = canonicalTimeZone(text);
    if (name === undefined) context.addIssue({ code: 'custom', message: 'This time zone is not known' });
    return name ?? 'UTC';
  });
