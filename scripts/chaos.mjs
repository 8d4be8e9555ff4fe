// Runs a cluster of real parts that fail one after the other while users work with it: npm run chaos -- --minutes 1
import { install } from './install.mjs';

install();
const { followAll, run } = await import('./run.mjs');
followAll([run(['chaos/main.ts', ...process.argv.slice(2)])], { isCommand: true });
