// Measures Roster against its floors. Names of parts as arguments (relay, lists, start, first-load) run only those.
import { install } from './install.mjs';

install();
const { build } = await import('./build.mjs');
const { followAll, run } = await import('./run.mjs');
// Without a build everything but the first load can be measured.
build();
followAll([run(['bench/main.ts', ...process.argv.slice(2)])], { isCommand: true });
