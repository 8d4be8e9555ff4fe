import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { installExtraPackages } from './extra-packages.ts';
import { median } from './figures.ts';
import { cacheFolder, root } from './processes.ts';
import { settings } from './settings.ts';
import { firstPages, launchBrowser, prepareVisits } from './visits.ts';

const version = '13.5.0';
// 114 packages and 176 MB, so not installed with Roster.
const folder = join(cacheFolder, `lighthouse-${version}`);
const entry = join(folder, 'node_modules/lighthouse/cli/index.js');

const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
const timings = {
  'first-contentful-paint': 'first paint',
  'largest-contentful-paint': 'largest paint',
  'total-blocking-time': 'blocking',
  'cumulative-layout-shift': 'shift',
  'speed-index': 'speed index',
} as const;

type Report = {
  categories: Record<string, { score: number | null }>;
  audits: Record<string, { score: number | null; scoreDisplayMode: string; numericValue?: number; title: string }>;
};

/** Runs Lighthouse for a phone: a slow network and a CPU four times slower, both simulated. */
function examine(url: string, cookie: string, triesLeft = 2): Report {
  const output = join(mkdtempSync(join(tmpdir(), 'roster-lighthouse-')), 'report.json');
  const options = [`--output-path=${output}`, '--output=json', '--quiet', `--only-categories=${categories.join(',')}`];
  const chrome = '--chrome-flags=--headless=new --no-sandbox --disable-gpu --no-first-run';
  const headers = cookie === '' ? [] : [`--extra-headers=${JSON.stringify({ cookie })}`];
  const { status, stderr } = spawnSync(process.execPath, [entry, url, ...options, chrome, ...headers], {
    env: { ...process.env, CHROME_PATH: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium' },
    encoding: 'utf8',
    timeout: 180_000,
  });
  // On a busy machine it sometimes records nothing at all, which says nothing about the page.
  if (status !== 0 && triesLeft > 0) return examine(url, cookie, triesLeft - 1);
  if (status !== 0 || !existsSync(output)) throw new Error(`Lighthouse ended with ${status}: ${stderr}`);
  const report: Report = JSON.parse(readFileSync(output, 'utf8'));
  rmSync(join(output, '..'), { recursive: true });
  return report;
}

/** Medians of several reports on each of the first pages; they never fail the benchmark. */
export async function measureLighthouse(): Promise<{ faults: string[] }> {
  if (
    !existsSync(join(root, 'web/dist/.pages.json')) ||
    !installExtraPackages(folder, { lighthouse: version }, {}, entry)
  ) {
    console.log('\nLighthouse: not measured, the browser application is not built or Lighthouse cannot be had.');
    return { faults: [] };
  }
  const runs = settings.lighthouseRuns;
  console.log(`\nLighthouse ${version}, a phone, medians of ${runs}; load ${loadavg()[0]?.toFixed(2)}\n`);
  const browser = await launchBrowser();
  const visits = await prepareVisits(browser);
  await browser.close();
  await using roster = visits.roster;
  for (const path of firstPages) {
    const cookie = visits
      .stateFor(path)
      .cookies.map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const reports = Array.from({ length: runs }, () => examine(`${roster.url}${path}`, cookie));
    const scores = categories.map((name) => {
      const score = median(reports.map(({ categories: given }) => (given[name]?.score ?? Number.NaN) * 100));
      return `${name} ${score.toFixed(0)}`;
    });
    const times = Object.entries(timings).map(([audit, name]) => {
      const value = median(reports.map(({ audits }) => audits[audit]?.numericValue ?? Number.NaN));
      return `${name} ${audit === 'cumulative-layout-shift' ? value.toFixed(3) : `${value.toFixed(0)} ms`}`;
    });
    console.log(`${path.padEnd(8)}${scores.join(', ')}\n        ${times.join(', ')}`);
    for (const missed of missedAudits(reports)) console.log(`        not met: ${missed}`);
  }
  return { faults: [] };
}

/** Names of the audits that keep the other categories below 100. */
function missedAudits(reports: readonly Report[]): string[] {
  const missed = reports.flatMap(({ audits }) =>
    Object.values(audits)
      .filter(({ score, scoreDisplayMode }) => scoreDisplayMode === 'binary' && score === 0)
      .map(({ title }) => title),
  );
  return [...new Set(missed)];
}
