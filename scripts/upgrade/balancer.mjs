// HAProxy as in deploy/proxies/haproxy.cfg, except for addresses and TLS.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from '../install.mjs';

const program = ['haproxy', '/usr/sbin/haproxy'].find((name) => spawnSync(name, ['-v']).status === 0);

function replaced(text, pattern, by) {
  if (!pattern.test(text)) throw new Error(`deploy/proxies/haproxy.cfg has no ${pattern}`);
  return text.replace(pattern, by);
}

function settings(port, servers, socket) {
  let text = readFileSync(join(root, 'deploy/proxies/haproxy.cfg'), 'utf8');
  text = replaced(text, /^ {2}bind :80\n {2}bind :443.*$/m, `  bind 127.0.0.1:${port}`);
  text = replaced(text, /^ {2}http-request redirect scheme https.*\n/m, '');
  text = replaced(text, /^ {2}log stdout .*\n/m, '  log stdout format raw local0 warning\n');
  text = replaced(text, /^ {2}maxconn .*$/m, `  maxconn 1000\n  stats socket ${socket} level admin`);
  const list = (more) =>
    servers.map((at, index) => `  server roster-${index + 1} 127.0.0.1:${at}${more(index + 1)}\n`).join('');
  text = replaced(
    text,
    /(?:^ {2}server roster-\d \S+\n)+/gm,
    list(() => ''),
  );
  return replaced(
    text,
    /(?:^ {2}server roster-\d \S+ track .*\n)+/gm,
    list((number) => ` track roster/roster-${number}`),
  );
}

export async function startBalancer(folder, port, servers) {
  if (!program) throw new Error('HAProxy is needed. On Debian: apt-get install haproxy');
  const file = join(folder, 'haproxy.cfg');
  const socket = join(folder, 'haproxy.sock');
  writeFileSync(file, settings(port, servers, socket));
  const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const isThere = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  while (!(await isThere())) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended: ${said}`);
    await wait(50);
  }
  return {
    url: `http://localhost:${port}`,
    /** Waits until it has seen that a process is ready. */
    async ready() {
      while (!(await fetch(`http://localhost:${port}/healthz`)).ok) await wait(100);
    },
    /** Drains a place, or makes it ready again. */
    async setState(place, state) {
      const said = await new Promise((resolve, reject) => {
        let text = '';
        const asked = connect(socket, () => asked.end(`set server roster/roster-${place} state ${state}\n`));
        asked.on('data', (chunk) => {
          text += chunk;
        });
        asked.on('error', reject).on('close', () => resolve(text.trim()));
      });
      if (said !== '') throw new Error(`HAProxy says ${said}`);
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
