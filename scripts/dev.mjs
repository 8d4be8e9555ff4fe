// Runs server, browser application and simulator, each restarted or reloaded when its files change.
import { install } from './install.mjs';

install();
const { followAll, run } = await import('./run.mjs');
const provider = process.env.PROVIDER_BASE_URL ?? 'http://127.0.0.1:4010/v1';
const server = {
  PUBLIC_URL: 'http://localhost:5173',
  DATA_DIR: process.env.DATA_DIR ?? 'data/dev',
  PROVIDER_BASE_URL: provider,
  PROVIDER_NAME: process.env.PROVIDER_NAME ?? 'Simulator',
};
console.log('Roster with reload: http://localhost:5173 (any key that begins with sk- works at the simulator)');
followAll([
  run(['--watch', '--watch-preserve-output', 'simulator/src/main.ts']),
  run(['--watch', '--watch-preserve-output', 'server/src/main.ts'], { env: server }),
  run(['node_modules/vite/bin/vite.js', 'web'], {}),
]);
