import { install } from './install.mjs';

install();
const { build } = await import('./build.mjs');
const { followAll, run } = await import('./run.mjs');
if (!build()) process.exit(1);
// Young objects get 2 MB at a time instead of 16, which saves 20 MB when idle at no measurable CPU cost.
followAll([run(['--max-semi-space-size=2', 'server/src/main.ts'])]);
