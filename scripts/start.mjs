import { install } from './install.mjs';

install();
const { build } = await import('./build.mjs');
const { followAll, run } = await import('./run.mjs');
if (!build()) process.exit(1);
// Young objects get 4 MB at a time instead of 16, which saves 20 MB when idle.
followAll([run(['--max-semi-space-size=4', 'server/src/main.ts'])]);
