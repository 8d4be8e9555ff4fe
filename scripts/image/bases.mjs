// Base images for machines without a registry: Debian from its own packages, and the same with Node.js.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { node } from '../install.mjs';

const suite = 'bookworm';
/** Paths that Debian slim omits, except for licenses. */
const leftOut = [
  'usr/share/doc/*/!(copyright)',
  'usr/share/man',
  'usr/share/info',
  'usr/share/locale',
  'usr/share/lintian',
  'usr/share/groff',
  'usr/share/linda',
  'var/cache/apt/*',
  'var/lib/apt/lists/*',
  'var/log/*',
];

export function run(program, args, options = {}) {
  const { status, stdout, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
  return stdout?.trim() ?? '';
}

/** The mirror of this machine's own packages. */
function mirror() {
  const lists = spawnSync('apt-get', [
    'indextargets',
    '--format',
    '$(SITE)',
    'Created-By: Packages',
    `Codename: ${suite}`,
  ]);
  return (
    lists.stdout
      ?.toString()
      .split('\n')
      .find((site) => /\/debian\/?$/.test(site.trim())) ?? ''
  );
}

/** A folder with a minimal Debian. */
function debian(folder) {
  const place = join(folder, 'debian');
  run('debootstrap', ['--variant=minbase', suite, place, mirror()].filter(Boolean), {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const globs = leftOut.join(' ');
  run('bash', ['-O', 'extglob', '-O', 'nullglob', '-c', `rm -rf ${globs}`], { cwd: place });
  return place;
}

/** The certificates that this machine trusts: its registry may be behind a proxy with its own. */
const trusted = '/etc/ssl/certs/ca-certificates.crt';

/** The machine's npm. */
function npmFolder() {
  const program = run('bash', ['-c', 'command -v npm']);
  return dirname(dirname(realpathSync(program)));
}

/** Creates both images in the store of `buildah`. Returns their names. */
export function makeBases(buildah) {
  const day = new Date().toISOString().slice(0, 10);
  const [base, withNode] = [`localhost/roster-debian:${day}`, `localhost/roster-debian-node:${day}`];
  const isThere = (image) => buildah(['images', '--quiet', '--filter', `reference=${image}`]) !== '';
  if (isThere(base) && isThere(withNode)) return { base, withNode };
  const folder = mkdtempSync(join(tmpdir(), 'roster-bases-'));
  try {
    const first = buildah(['from', 'scratch']);
    buildah(['add', '--quiet', first, debian(folder), '/']);
    buildah(['config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', first]);
    buildah(['commit', '--quiet', '--rm', first, base]);
    const second = buildah(['from', base]);
    buildah(['copy', '--quiet', second, node, '/usr/local/bin/node']);
    buildah(['copy', '--quiet', second, npmFolder(), '/usr/local/lib/node_modules/npm']);
    const links = ['npm', 'npx'].map(
      (name) => `ln -s ../lib/node_modules/npm/bin/${name}-cli.js /usr/local/bin/${name}`,
    );
    buildah(['run', '--isolation', 'chroot', second, '--', 'sh', '-c', links.join(' && ')]);
    if (existsSync(trusted)) {
      buildah(['copy', '--quiet', second, trusted, trusted]);
      buildah(['config', '--env', `NODE_EXTRA_CA_CERTS=${trusted}`, second]);
    }
    buildah(['commit', '--quiet', '--rm', second, withNode]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { base, withNode };
}
