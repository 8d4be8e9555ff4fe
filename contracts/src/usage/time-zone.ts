import { z } from 'zod';

/** Names that are current today for zones that are listed under an older one; some browsers send these. */
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

/** Every name that is used, by its lower-case letters. Made when it is first needed: a page without times has no use for it. */
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

/** The zone's name as it is spelled, for any spelling and for older names; undefined: there is none. */
export function canonicalTimeZone(text: string): string | undefined {
  const known = zones().get(text.toLowerCase());
  if (known !== undefined) return known;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return zones().get(timeZone.toLowerCase());
  } catch {
    return undefined;
  }
}

/** A time zone's IANA name. */
export const TimeZone = z
  .string()
  .max(64, 'This time zone is not known')
  .transform((text, context) => {
    const name = canonicalTimeZone(text);
    if (name === undefined) context.addIssue({ code: 'custom', message: 'This time zone is not known' });
    return name ?? 'UTC';
  });
