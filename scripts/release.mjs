// node scripts/release.mjs 1.2.0             tests, writes the version, makes package, chart and image in release/, commits and tags
// node scripts/release.mjs 1.2.0 --dry-run   does the same without tests, commit or tag, and leaves the files as they are
// Publishes nothing: what it has made is looked at, and then pushed by hand.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { environment, installAndContinue, node, root } from './install.mjs';

installAndContinue();
const { makePackage } = await import('./package/make.mjs');

const read = (name) => readFileSync(join(root, name), 'utf8');
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

function refuse(why) {
  console.error(why);
  process.exit(1);
}

/** True if a semantic version is higher than another one, by its three numbers. */
function isAbove(version, other) {
  const [a, b] = [version, other].map((text) => text.split('.').map(Number));
  const differs = a.findIndex((number, index) => number !== b[index]);
  return differs >= 0 && a[differs] > b[differs];
}

const lastRelease = 'scripts/upgrade/last-release.json';

/** The next version may drop what this one keeps for the previous one: docs/decisions/07-migrations.md. */
function asLastRelease(version) {
  const migration = Object.keys(JSON.parse(read('server/src/db/migrations/released.json'))).at(-1);
  const { kept } = JSON.parse(read(lastRelease));
  return { revision: `v${version}`, migration, kept: [], unused: kept };
}

/** The updated contents of the files that name the version. */
function changed(version, day) {
  const about = JSON.parse(read('package.json'));
  const lock = JSON.parse(read('package-lock.json'));
  const changelog = read('CHANGELOG.md');
  if (!/^## Unreleased\n+\S/m.test(changelog)) refuse('CHANGELOG.md says nothing under “Unreleased”.');
  about.version = version;
  lock.version = version;
  lock.packages[''].version = version;
  const chart = 'deploy/helm/roster/Chart.yaml';
  return {
    [chart]: read(chart)
      .replace(/^version: .*$/m, `version: ${version}`)
      .replace(/^appVersion: .*$/m, `appVersion: "${version}"`),
    'package.json': `${JSON.stringify(about, null, 2)}\n`,
    'package-lock.json': `${JSON.stringify(lock, null, 2)}\n`,
    [lastRelease]: `${JSON.stringify(asLastRelease(version), null, 2)}\n`,
    'CHANGELOG.md': changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${day})\n`),
  };
}

function check(version, isDryRun) {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version)) refuse('Which version? Three numbers, as in 1.2.0.');
  const { version: current } = JSON.parse(read('package.json'));
  const tags = git('tag', '--list', 'v*').split('\n').filter(Boolean);
  if (tags.includes(`v${version}`)) refuse(`v${version} is tagged already.`);
  if (version !== current && !isAbove(version, current)) refuse(`${version} is not above ${current}.`);
  if (version === current && tags.length > 0) refuse(`${current} was released already.`);
  if (git('status', '--porcelain') !== '') refuse('There are changes that are not committed.');
  if (isDryRun) return;
  const { status } = spawnSync('npm', ['test'], { cwd: root, env: environment(), stdio: 'inherit' });
  if (status !== 0) refuse('Not all tests pass.');
}

const sumOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** As `helm package` creates it. */
function packChart(release, version, files) {
  const folder = mkdtempSync(join(tmpdir(), 'roster-chart-'));
  try {
    cpSync(join(root, 'deploy/helm/roster'), join(folder, 'roster'), { recursive: true });
    writeFileSync(join(folder, 'roster/Chart.yaml'), files['deploy/helm/roster/Chart.yaml']);
    const file = join(release, `roster-chart-${version}.tgz`);
    execFileSync('tar', ['-czf', file, '-C', folder, 'roster']);
    return file;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Built, inspected and started; undefined if a dry run lacks what that needs. */
function buildImage(release, version) {
  const file = join(release, `roster-image-${version}.tar`);
  rmSync(file, { force: true });
  const { status } = spawnSync(node, ['scripts/image.mjs', file], { cwd: root, env: environment(), stdio: 'inherit' });
  if (status === 0) return file;
  if (!isDryRun)
    refuse('The image was not built. The version is written, but nothing is committed: git checkout . takes it back.');
  console.log('The image was not built: a release is made by root, with buildah and debootstrap.');
}

const [version = '', option] = process.argv.slice(2);
const isDryRun = option === '--dry-run';
if (option !== undefined && !isDryRun) refuse(`There is no option ${option}.`);
check(version, isDryRun);
const files = changed(version, new Date().toISOString().slice(0, 10));
if (!isDryRun) for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);

const release = join(root, 'release');
const made = [makePackage(release, version), packChart(release, version, files), buildImage(release, version)];
const sums = made.flatMap((file) => (file ? [`${sumOf(file)}  ${basename(file)}\n`] : [])).join('');
writeFileSync(join(release, 'SHA256SUMS'), sums);
process.stdout.write(sums);

if (isDryRun) console.log(`Nothing was changed. It would write ${Object.keys(files).join(', ')}, and tag v${version}.`);
else {
  git('commit', '--quiet', '--message', `Roster ${version}`, '--', ...Object.keys(files));
  git('tag', '--annotate', `v${version}`, '--message', `Roster ${version}`);
  console.log(`v${version} is tagged. Look at it, then: git push --follow-tags`);
}
