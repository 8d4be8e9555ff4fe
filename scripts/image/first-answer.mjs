// The first start of a container outside loopback: the setup code, the first account, the first answer.
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { signalIn, startIn } from './rootfs.mjs';

const site = 'roster.example.org';
const startsWithinMs = 600_000;

function ask(port, method, path, cookie, body) {
  return new Promise((resolve, reject) => {
    const headers = {
      host: site,
      origin: `https://${site}`,
      'x-forwarded-for': '192.0.2.7',
      'x-forwarded-proto': 'https',
      ...(cookie && { cookie }),
      ...(body && { 'content-type': 'application/json' }),
    };
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

function newVisitor(port) {
  let cookie = '';
  return async (method, path, body) => {
    const { status, headers, text } = await ask(port, method, path, cookie, body);
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
    cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? cookie;
    return headers['content-type']?.includes('json') ? JSON.parse(text) : text;
  };
}

const ended = (child) => new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));

async function setupCode(child, printed) {
  for (const giveUpAt = performance.now() + startsWithinMs; performance.now() < giveUpAt; await wait(100)) {
    const [, code] = /Set-up code for the first account: (\S+)/.exec(printed.join('')) ?? [];
    if (code) return code;
    if (child.exitCode !== null) break;
  }
  throw new Error(`It does not start:\n${printed.join('')}`);
}

/** Starts the image and uses it. Throws if something is wrong. */
export async function firstAnswer({ place, folder, config, providerUrl, port, version }) {
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true });
  const [uid, gid] = config.User.split(':').map(Number);
  chownSync(data, uid, gid);
  const given = {
    PORT: port,
    PUBLIC_URL: `https://${site}`,
    MASTER_KEY: randomBytes(32).toString('base64'),
    TRUST_PROXY: 1,
    PROVIDER_BASE_URL: providerUrl,
  };
  const env = [...config.Env, ...Object.entries(given).map(([name, value]) => `${name}=${value}`)];
  const start = (command) => startIn(place, data, { user: config.User, env, command });

  const child = start([...config.Entrypoint, ...config.Cmd]);
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(String(chunk)));
  const ending = ended(child);
  const call = newVisitor(port);
  await call('POST', '/api/register', {
    email: 'first@example.org',
    password: 'correct horse battery',
    setupCode: await setupCode(child, printed),
  });
  await call('POST', '/api/settings/apikey', { apiKey: `sk-${'image'.repeat(8)}` });
  const { id } = await call('POST', '/api/threads', { model: 'gpt-4o' });
  const { run } = await call('POST', `/api/threads/${id}/messages`, { message: 'Good day', clientId: 'first-message' });
  const events = await call('GET', `/api/runs/${run.id}/events`);
  if (!/event: finished/.test(events)) throw new Error(`The answer did not end: ${events}`);
  if (!/\/assets\//.test(await call('GET', '/'))) throw new Error('There is no page');

  if (config.Healthcheck?.Test?.[0] !== 'CMD') throw new Error('There is no health check');
  if ((await ended(start(config.Healthcheck.Test.slice(1)))) !== 0) throw new Error('The health check fails');
  const writing = "import('node:fs').then((fs) => fs.writeFileSync('/app/written', ''))";
  if ((await ended(start(['node', '-e', writing]))) === 0) throw new Error('The root can be written to');
  const who = start(['node', '-p', 'process.getuid()']);
  let said = '';
  who.stdout.on('data', (chunk) => {
    said += chunk;
  });
  await ended(who);
  if (said.trim() !== String(uid)) throw new Error(`It runs as ${said}`);

  signalIn(child, 'SIGTERM');
  const code = await ending;
  if (code !== 0) throw new Error(`It ended with ${code}:\n${printed.join('')}`);
  if (!printed.join('').includes(`"version":"${version}"`)) throw new Error('The log names another version');
}
