// npm run image                builds the image of deploy/Containerfile, looks at what is in it, and starts it as a container would,
//                              up to the first answer. Needs root and Debian's packages buildah and debootstrap.
// npm run image -- FILE.tar    writes it to a file besides, for `docker load`
// NODE_IMAGE and BASE_IMAGE name the bases, as for the Containerfile; without them they are made of Debian's packages.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installAndContinue, root } from './install.mjs';

installAndContinue();
const { json } = await import('./package/dependencies.mjs');
const { makeBases, run } = await import('./image/bases.mjs');
const { contents, largest } = await import('./image/rootfs.mjs');
const { firstAnswer } = await import('./image/first-answer.mjs');
const { createSimulator } = await import('../simulator/src/simulator.ts');
const { freePort } = await import('../server/src/testing/free-port.ts');

// In a dry run, which leaves package.json as it is, this is the previous version.
const { version } = json('package.json');
const image = `localhost/roster:${version}`;
const store = join(root, '.cache/image');
const buildah = (args, options) =>
  run('buildah', ['--root', join(store, 'root'), '--runroot', join(store, 'run'), ...args], options);

function build() {
  const { NODE_IMAGE, BASE_IMAGE } = process.env;
  const bases = NODE_IMAGE && BASE_IMAGE ? { base: BASE_IMAGE, withNode: NODE_IMAGE } : makeBases(buildah);
  console.log(`on ${bases.base}`);
  const revision = run('git', ['rev-parse', 'HEAD'], { cwd: root });
  const given = Object.entries({ NODE_IMAGE: bases.withNode, BASE_IMAGE: bases.base, REVISION: revision });
  const args = given.flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  // OCI's own format has no health checks.
  const fixed = ['--isolation', 'chroot', '--format', 'docker', '--file', 'deploy/Containerfile', '--tag', image];
  buildah(['build', ...fixed, ...args, '.'], { cwd: root, stdio: 'inherit' });
}

async function check() {
  const { Docker } = JSON.parse(buildah(['inspect', '--type', 'image', image]));
  const container = buildah(['from', image]);
  const folder = mkdtempSync(join(tmpdir(), 'roster-image-'));
  const simulator = createSimulator({ tokenDelayMs: 0 });
  try {
    const place = buildah(['mount', container]);
    const size = Number(run('du', ['--summarize', '--bytes', '--one-file-system', place]).split('\t')[0]);
    console.log(`${image}: ${(size / 1e6).toFixed(1)} MB`);
    const failures = contents(place, version);
    if (size > largest) failures.push(`It is larger than ${largest / 1e6} MB`);
    const { url } = await simulator.listen();
    const started = { place, folder, config: Docker.config, providerUrl: url, port: await freePort(), version };
    await firstAnswer(started).then(
      () =>
        console.log('Started as it is, with a root that nobody writes to: first account, first answer, health check.'),
      (error) => failures.push(error.message),
    );
    return failures;
  } finally {
    await simulator.close();
    buildah(['rm', container]);
    rmSync(folder, { recursive: true, force: true });
  }
}

const [file] = process.argv.slice(2);
build();
const failures = await check();
for (const failure of failures) console.error(failure);
if (failures.length === 0 && file)
  buildah(['push', '--quiet', image, `docker-archive:${resolve(file)}:roster:${version}`]);
process.exit(failures.length === 0 ? 0 : 1);
