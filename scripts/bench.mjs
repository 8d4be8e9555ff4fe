// Measures Roster against its floors. Names of parts as arguments (relay, lists, start, first-load) run only those.
import { install } from './install.mjs';

install();
const { build } = await import('./build.mjs');
const { installedChromium } = await import('./chromium.mjs');
const { followAll, run } = await import('./run.mjs');
// The parts that need a browser say so where there is none.
process.env.CHROMIUM_PATH ??= installedChromium() ?? '/usr/bin/chromium';
// Without a build everything but the first load can be measured.
build();
followAll([run(['bench/main.ts', ...process.argv.slice(2)])], { isCommand: true });
