import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { environment, node, root } from './install.mjs';

const usual = [
  // The headless browser needs a third less CPU.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

function downloaded() {
  const cache = join(homedir(), '.cache/ms-playwright');
  if (!existsSync(cache)) return undefined;
  return readdirSync(cache)
    .filter((name) => /^chromium-\d+$/.test(name))
    .map((name) => join(cache, name, 'chrome-linux/chrome'))
    .find((path) => existsSync(path));
}

/** The path of a Chromium that the machine has. */
export const installedChromium = () =>
  [process.env.CHROMIUM_PATH, ...usual, downloaded()].find((path) => path && existsSync(path));

function attempt(command, args) {
  console.log(`  ${command} ${args.join(' ')}`);
  return (
    spawnSync(command, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...environment(), DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  );
}

/** The path of a Chromium; installs one if the machine has none. undefined: not available. */
export function chromium() {
  const path = installedChromium();
  if (path) return path;
  console.log('No Chromium on this machine; installing one for the browser tests …');
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = (...args) => {
    const [command, ...rest] = [...sudo, 'apt-get', '-qq', ...args];
    return attempt(command, rest);
  };
  const install = (name) => apt('install', '-y', '--no-install-recommends', name);
  const viaApt =
    existsSync('/usr/bin/apt-get') &&
    apt('update') &&
    // Older systems have only the full browser.
    (install('chromium-headless-shell') || install('chromium'));
  if (!viaApt) attempt(node, [join(root, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium']);
  return installedChromium();
}
