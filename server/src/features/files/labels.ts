import { filenameLimit } from '@roster/contracts/files/files';
import { isBlank } from '@roster/contracts/text/blank';
import { codePointLength } from '@roster/contracts/text/length';
import { tidyName } from '@roster/contracts/text/name';
import { truncate } from '@roster/contracts/text/truncate';

/**
 * Cleans a name for use as a label: by the rule for names, never a path, up to 255 characters with its extension kept.
 */
export function cleanName(given: string): string {
  // Browsers encode exactly these three in a form, in capitals; `50%0discount` was typed.
  const meant = given.replace(/%0[DA]/g, ' ').replaceAll('%22', '"');
  const last = meant.replaceAll('\\', '/').split('/').at(-1) ?? '';
  const name = tidyName(last).replace(/\s+/g, ' ');
  if (/^\.*$/.test(name) || isBlank(name)) return 'file';
  if (codePointLength(name) <= filenameLimit) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return truncate(name, filenameLimit - ending.length) + ending;
}

/** A valid media type, or that of any bytes. */
export const cleanType = (given: string): string =>
  /^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,60}$/.test(given) ? given : 'application/octet-stream';

/** RFC 6266: the full name for today's browsers, and an ASCII one for anything else. */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const full = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`;
}
