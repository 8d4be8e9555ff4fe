import { spawnSync } from 'node:child_process';
import { freePort } from '../server/src/testing/free-port.ts';
import type { Environment } from './environment.ts';
import { answers, createPart, type Part, untilReady } from './processes.ts';

const user = { id: 'roster:files', secret: 'a-secret-of-the-store' };
const bucket = 'roster';
const kinds = ['account', 'container', 'object'] as const;

/**
 * OpenStack Swift with its S3 layer: a proxy, and one server each for accounts, containers and objects, with one copy
 * of everything.
 */
export async function swift(ground: Environment) {
  const { folder, programs, as, makeFolder, writeFile } = ground;
  const own = makeFolder('swift');
  makeFolder('swift/devices');
  makeFolder('swift/devices/d1');
  writeFile(
    'swift/swift.conf',
    '[swift-hash]\nswift_hash_path_suffix = roster\n[storage-policy:0]\nname = one\ndefault = yes\n',
  );
  const cachePort = await freePort();
  const parts: Part[] = [
    createPart(
      {
        name: 'memcached',
        path: programs.path('memcached'),
        args: ['-l', '127.0.0.1', '-p', String(cachePort)],
        folder,
        as,
      },
      async () => true,
    ),
  ];
  for (const kind of kinds) {
    const port = await freePort();
    makeRing(ground, own, kind, port);
    const settings = [
      '[DEFAULT]',
      `bind_ip = 127.0.0.1\nbind_port = ${port}\nworkers = 0\nswift_dir = ${own}`,
      `devices = ${own}/devices\nmount_check = false`,
      `[pipeline:main]\npipeline = healthcheck ${kind}-server`,
      `[app:${kind}-server]\nuse = egg:swift#${kind}`,
      '[filter:healthcheck]\nuse = egg:swift#healthcheck',
    ];
    parts.push(server(ground, kind, settings, port));
  }
  const port = await freePort();
  parts.push(server(ground, 'proxy', proxySettings(own, port, cachePort), port));
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    env: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: user.id,
      S3_SECRET_ACCESS_KEY: user.secret,
    },
    name: 'swift',
    async start() {
      await Promise.all(parts.map((part) => part.start()));
      await untilReady('the bucket', () => makeBucket(endpoint));
    },
    stop: () => Promise.all(parts.map((part) => part.stop())),
  };
}

function proxySettings(own: string, port: number, cachePort: number): string[] {
  return [
    '[DEFAULT]',
    `bind_ip = 127.0.0.1\nbind_port = ${port}\nworkers = 0\nswift_dir = ${own}`,
    '[pipeline:main]',
    'pipeline = catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth bulk slo dlo versioned_writes proxy-server',
    '[app:proxy-server]\nuse = egg:swift#proxy\nallow_account_management = true\naccount_autocreate = true',
    `[filter:tempauth]\nuse = egg:swift#tempauth\nuser_${user.id.replace(':', '_')} = ${user.secret} .admin`,
    `[filter:cache]\nuse = egg:swift#memcache\nmemcache_servers = 127.0.0.1:${cachePort}`,
    '[filter:s3api]\nuse = egg:swift#s3api\nlocation = us-east-1',
    ...['catch_errors', 'gatekeeper', 'healthcheck', 'listing_formats', 'bulk', 'slo', 'dlo', 'versioned_writes'].map(
      (name) => `[filter:${name}]\nuse = egg:swift#${name}`,
    ),
  ];
}

function server(
  { folder, programs, as, writeFile }: Environment,
  kind: (typeof kinds)[number] | 'proxy',
  settings: string[],
  port: number,
) {
  const file = writeFile(`swift/${kind}-server.conf`, `${settings.join('\n')}\n`);
  const path = programs.path(`swift-${kind}-server`);
  const command = { name: `swift-${kind}`, path, args: [file, '-v'], folder, as };
  return createPart(command, () => answers(`http://127.0.0.1:${port}/healthcheck`));
}

function makeRing({ programs, as }: Environment, cwd: string, kind: string, port: number) {
  const steps = [['create', '8', '1', '0'], ['add', `r1z1-127.0.0.1:${port}/d1`, '1'], ['rebalance']];
  for (const step of steps) {
    const done = spawnSync(programs.path('swift-ring-builder'), [`${kind}.builder`, ...step], { cwd, ...as });
    if (done.status !== 0) throw new Error(`The ring of ${kind}: ${done.stdout}${done.stderr}`);
  }
}

/** As an operator does, with the store's own interface. */
async function makeBucket(endpoint: string): Promise<boolean> {
  const signedIn = await fetch(`${endpoint}/auth/v1.0`, {
    headers: { 'x-auth-user': user.id, 'x-auth-key': user.secret },
  });
  const [address, token] = [signedIn.headers.get('x-storage-url'), signedIn.headers.get('x-auth-token')];
  if (!address || !token) return false;
  const made = await fetch(`${address}/${bucket}`, { method: 'PUT', headers: { 'x-auth-token': token } });
  return made.ok;
}
