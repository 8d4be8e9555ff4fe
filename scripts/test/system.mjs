// The steps of `npm test system`: what needs programs that Roster does not include.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { environment, root } from '../install.mjs';

/** Debian's packages, if their names differ from the program's. */
const packages = {
  nginx: 'nginx-light',
  promtool: 'prometheus',
  'systemd-analyze': 'systemd',
};

const folders = [...environment().PATH.split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const isThere = (program) => folders.some((folder) => existsSync(join(folder, program)));

/** Why a check cannot run here; undefined: it can. */
function whyNot(what, programs) {
  const absent = programs.filter((program) => !isThere(program));
  if (absent.length === 0) return undefined;
  return `${what}: needs ${absent.map((program) => `${program} (Debian: ${packages[program] ?? program})`).join(', ')}`;
}

/** The check if its programs are installed; otherwise one that names the missing ones and counts nothing. */
const withPrograms = (programs, { name, run }) => ({
  name,
  async run(tools) {
    const absent = whyNot(name, programs);
    return absent === undefined ? run(tools) : { passed: 0, failed: 0, absent: [absent] };
  },
});

/** The tests below a folder that need programs, each with those that its first line names. */
function systemTests(folder) {
  const files = readdirSync(join(root, folder), { recursive: true }).map((file) => file.replaceAll('\\', '/'));
  return files
    .filter((file) => /\.system\.(?:test|spec)\.ts$/.test(file))
    .map((file) => {
      const [, needed] = /^\/\/ Needs: (.+)/.exec(readFileSync(join(root, folder, file), 'utf8')) ?? [];
      if (!needed) throw new Error(`${folder}/${file} does not begin with '// Needs: program, ...'`);
      return { file: `${folder}/${file}`, programs: needed.split(', ') };
    });
}

/** Runs the tests of a folder that can run here, and names the others. */
const testsOfSystem = (folder, { name, run }) => ({
  name,
  async run(tools) {
    const found = systemTests(folder).map(({ file, programs }) => ({ file, absent: whyNot(file, programs) }));
    const absent = found.flatMap((test) => test.absent ?? []);
    const rest = found.filter((test) => test.absent === undefined).map(({ file }) => file);
    const outcome = rest.length > 0 ? await run({ ...tools, rest }) : { passed: 0, failed: 0 };
    return { ...outcome, absent };
  },
});

/** `check` makes a check of a program's arguments; `server` and `browser` are the checks that run tests. */
export const systemChecks = ({ check, server, browser }) => [
  ...[['nginx', 'openssl'], ['haproxy', 'openssl'], ['caddy'], ['promtool'], ['systemd-analyze']].map((programs) =>
    withPrograms(programs, check(`deploy: ${programs[0]}`, ['scripts/deployments/programs.mjs', programs[0]])),
  ),
  testsOfSystem('server/src', { ...server, name: 'system tests: server' }),
  testsOfSystem('e2e', { ...browser, name: 'system tests: browser' }),
];
