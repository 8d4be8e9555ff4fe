import { filenameLimit } from '@roster/contracts/files/files';
import { isBlank } from '@roster/contracts/text/blank';
import { codePointLength } from '@roster/contracts/text/length';
import { tidyName } from '@roster/contracts/text/name';
import { truncate } from '@roster/contracts/text/truncate';

/** A name as a label: by the rule for names, never a path, 255 characters with its ending kept. */
export function cleanName(given: string): string {
  // Browsers write these three in a form so, in capitals, and nothing else: `50%0discount` is what somebody typed.
  const meant = given.replace(/%0[DA]/g, ' ').replaceAll('%22', '"');
  const last = meant.replaceAll('\\', '/').split('/').at(-1) ?? '';
  const name = tidyName(last).replace(/\s+/g, ' ');
  if (/^\.*$/.test(name) || isBlank(name)) return 'file';
  if (codePointLength(name) <= filenameLimit) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return truncate(name, filenameLimit - ending.length) + ending;
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
