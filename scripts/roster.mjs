import { install } from './install.mjs';

install();
const { followAll, run } = await import('./run.mjs');
followAll([run(['server/src/cli/main.ts', ...process.argv.slice(2)])], { isCommand: true });
