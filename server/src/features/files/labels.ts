import { isBlank } from '@roster/contracts/blank';
import { beginningOf } from '@roster/contracts/cut';
import { filenameLimit } from '@roster/contracts/files';
import { codePointLength } from '@roster/contracts/length';

/** Control characters, and those that turn the direction of writing and so make a name look like another one. */
const unwanted = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A name as a label: never a path, nothing invisible, 255 characters with its ending kept. */
export function cleanName(given: string): string {
  // Browsers write these three so in a form, and nothing else.
  const meant = given.replace(/%0[da]/gi, ' ').replaceAll('%22', '"');
  const last = meant.toWellFormed().replaceAll('\\', '/').split('/').at(-1) ?? '';
  const name = last.replace(unwanted, '').replace(/\s+/g, ' ').trim();
  if (/^\.*$/.test(name) || isBlank(name)) return 'file';
  if (codePointLength(name) <= filenameLimit) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return beginningOf(name, filenameLimit - ending.length) + ending;
}

/** A media type as a label. */
export const cleanType = (given: string): string =>
  /^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,60}$/.test(given) ? given : 'application/octet-stream';

/** RFC 6266: the name in full for today's browsers, and in plain letters for anything else. */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const full = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`;
}
