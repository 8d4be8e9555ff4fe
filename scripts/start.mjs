import { install } from './install.mjs';

install();
const { build } = await import('./build.mjs');
const { followAll, run } = await import('./run.mjs');
if (!build()) process.exit(1);
followAll([run(['server/src/main.ts'])]);
