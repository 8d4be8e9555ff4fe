import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../server/src/testing/free-port.ts';
import { exchange } from './exchange.ts';
import { installExtraPackages } from './extra-packages.ts';
import { cacheFolder, type Program, startProgram } from './processes.ts';

export const gateway = '@portkey-ai/gateway';
const version = '1.15.2';
/** Newer releases of its web server (from 1.14 on) make this version of the gateway answer 500. */
const overrides = { '@hono/node-server': '1.13.7', '@hono/node-ws': '1.0.4' };
const folder = join(cacheFolder, `portkey-${version}`);
const entry = join(folder, 'node_modules', gateway, 'build/start-server.js');

/** A well-known gateway in JavaScript, for comparison; undefined if it cannot be installed. */
export async function startPortkey(upstreamPort: number) {
  if (!installExtraPackages(folder, { [gateway]: version }, overrides, entry)) {
    console.log(`${gateway} could not be installed: measured without it.`);
    return undefined;
  }
  const port = await freePort();
  const program: Program = startProgram(gateway, [entry, `--port=${port}`, '--headless'], { cwd: folder });
  for (let attempt = 0; attempt < 200; attempt++) {
    const answers = await exchange({ port, method: 'GET', path: '/' }).then(
      () => true,
      () => false,
    );
    if (answers) {
      const headers = {
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
      };
      return { port, program, headers };
    }
    await wait(50);
  }
  await program.stop();
  console.log(`${gateway} did not start: measured without it.`);
  return undefined;
}
