import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './processes.ts';
import { type FetchedResource, firstPages, launchBrowser, prepareVisits, type Visit, visit } from './visits.ts';

/** The design allows 150 kB of scripts; less is held, so that a page that grows is noticed. */
const mostScriptBytes = 140_000;
/** Scripts, styles, calls and the page itself. */
const mostBytes = 155_000;
const mostFiles = 25;

const sum = (files: readonly FetchedResource[]) => files.reduce((bytes, file) => bytes + file.bytes, 0);
const isFont = ({ address }: FetchedResource) => address.endsWith('.woff2');
const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1).padStart(9);

/**
 * Measures what Chromium loads on a first visit until typing and clicking take effect: the page, scripts, styles and
 * API responses, as sent with gzip. The font is reported separately, because the text renders without it.
 */
export async function measureFirstLoad(): Promise<{ faults: string[] }> {
  if (!existsSync(join(root, 'web/dist/.pages.json')))
    return { faults: ['First load: not measured, the browser application is not built.'] };
  console.log('\nA first visit until the page can be used, kB with gzip\n');
  console.log('page          all    scripts     styles      calls   the page | files |  font | fetched twice');
  const browser = await launchBrowser();
  const visits = await prepareVisits(browser);
  await using _roster = visits.roster;
  const faults: string[] = [];
  for (const path of firstPages)
    faults.push(...report(path, await visit(browser, `${visits.roster.url}${path}`, visits)));
  await browser.close();
  return { faults };
}

/** Prints one page's line; returns its problems. */
function report(path: string, { usableAt, fetched }: Visit): string[] {
  const until = fetched.filter(({ startedAt }) => startedAt < usableAt);
  const counted = until.filter((file) => !isFont(file));
  const bytesOf = (pattern: RegExp) => sum(counted.filter(({ address }) => pattern.test(address)));
  const addresses = fetched.map(({ address }) => address);
  const twice = addresses.filter((address, index) => addresses.indexOf(address) !== index);
  const scriptBytes = bytesOf(/\.js$/);
  const parts = [scriptBytes, bytesOf(/\.css$/), bytesOf(/^\/api\//), counted[0]?.bytes ?? 0];
  console.log(
    `${path.padEnd(8)}${kilobytes(sum(counted))} ${parts.map(kilobytes).join('  ')} | ${String(until.length).padStart(5)} | ` +
      `${kilobytes(sum(until.filter(isFont))).trim()} | ${twice.join(' ') || 'nothing'}`,
  );
  if (process.env.BENCH_LIST === '1')
    for (const { address, bytes, startedAt } of fetched)
      console.log(`  ${startedAt < usableAt ? '*' : ' '} ${startedAt.toFixed(0)} ms ${bytes} ${address}`);
  return [
    Number.isFinite(usableAt) ? [] : `${path} never says that it can be used`,
    scriptBytes > mostScriptBytes
      ? `${path} fetches${kilobytes(scriptBytes)} kB of scripts, more than ${mostScriptBytes / 1000}`
      : [],
    sum(counted) > mostBytes ? `${path} fetches${kilobytes(sum(counted))} kB, more than ${mostBytes / 1000}` : [],
    until.length > mostFiles ? `${path} fetches ${until.length} files, more than ${mostFiles}` : [],
    twice.length > 0 ? `${path} fetches twice: ${twice.join(', ')}` : [],
  ].flat();
}
