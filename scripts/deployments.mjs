// Checks the files of deploy/ against each other and the configuration. `npm test system` has the real programs read
// them. Without Helm, scripts/deployments/templates.mjs renders the templates.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { checkChart } from './deployments/chart.mjs';
import { root } from './install.mjs';

/** A file with one word replaced, to prove that the check finds it. */
let plant;
function read(path) {
  const text = readFileSync(join(root, 'deploy', path), 'utf8');
  return plant?.[0] === path ? text.replace(plant[1], plant[2]) : text;
}
let failures = [];
const expect = (isSo, what) => isSo || failures.push(what);

const configuration = readFileSync(join(root, 'docs/operator/configure.md'), 'utf8');
const variables = new Set(
  [...configuration.matchAll(/^\| (`[A-Z].*?) \|/gm)].flatMap(([row]) => row.match(/[A-Z][A-Z0-9_]+/g)),
);
/** Read by Node.js and the C library. */
const ofThePlatform = new Set(['NODE_ENV', 'MALLOC_ARENA_MAX']);
function expectVariables(names, where) {
  for (const name of names)
    expect(variables.has(name) || ofThePlatform.has(name), `${where}: there is no variable ${name}`);
}

function container() {
  const where = 'Containerfile';
  const text = read(where);
  for (const [, sources] of text.matchAll(/^COPY (?!--from)(.+) \S+$/gm))
    for (const source of sources.split(' ')) expect(existsSync(join(root, source)), `${where} copies ${source}`);
  const [last = ''] = text.split(/^FROM /m).slice(-1);
  for (const line of [
    /^USER [1-9]\d*:[1-9]\d*$/m,
    /^HEALTHCHECK [\s\S]*\/readyz/m,
    /^STOPSIGNAL SIGTERM$/m,
    /^VOLUME \/data$/m,
  ])
    expect(line.test(last), `${where} has no line ${line}`);
  expect(!/\b(apt-get|npm)\b/.test(last), `${where} installs into the image that runs`);
  expectVariables(
    [...last.matchAll(/^ENV (.+)$/gm)].flatMap(([, all]) => all.match(/[A-Z_]+(?==)/g)),
    where,
  );
  expect(/server\/src\/cli\.js/.test(last) && existsSync(join(root, 'server/src/cli.ts')), `${where} starts nothing`);
  expect(readFileSync(join(root, '.dockerignore'), 'utf8').includes('node_modules'), 'node_modules go into the image');
}

function compose(where) {
  const { services, secrets = {}, volumes = {} } = parse(read(where), { merge: true });
  for (const [name, { image, environment, secrets: used = [], volumes: mounted = [], ...rest }] of Object.entries(
    services,
  )) {
    for (const secret of used)
      expect((secret.source ?? secret) in secrets, `${where}: ${name} has no secret ${secret}`);
    for (const volume of mounted) {
      const [from] = volume.split(':');
      expect(from.startsWith('.') ? existsSync(join(root, 'deploy', from)) : from in volumes, `${where}: no ${from}`);
    }
    if (image !== 'roster') continue;
    expect(rest.read_only === true && rest.cap_drop?.[0] === 'ALL', `${where}: ${name} may write or has rights`);
    expectVariables(Object.keys(environment), where);
  }
}

function checkAll() {
  failures = [];
  container();
  compose('compose.yaml');
  compose('compose.cluster.yaml');
  checkChart(read, expect, expectVariables);
  const set = read('systemd/roster.service').matchAll(/(?<=[ =])([A-Z]+_[A-Z_]+)(?==)/g);
  expectVariables(
    [...set].map(([, name]) => name),
    'roster.service',
  );
  return failures;
}

const planted = [
  ['Containerfile', 'USER 10001:10001', ''],
  ['Containerfile', 'COPY . .', 'COPY absent.json .'],
  ['Containerfile', 'HEALTHCHECK', '# HEALTHCHECK'],
  ['compose.yaml', 'read_only: true', 'read_only: false'],
  ['compose.yaml', 'TRUST_PROXY', 'TRUST_PROXIES'],
  ['compose.cluster.yaml', 'source: certificate', 'source: certificates'],
  ['compose.cluster.yaml', './proxies/haproxy.cfg', './proxies/absent.cfg'],
  ['helm/roster/templates/deployment.yaml', '.Values.replicas', '.Values.replica'],
  ['helm/roster/templates/service.yaml', 'nindent 4 }}', 'nindent 4 }}{{- if true }}'],
  ['helm/roster/templates/service.yaml', '"roster.labels"', '"roster.lables"'],
  ['helm/roster/templates/ingress.yaml', 'kind: Ingress', 'kind: Route'],
  ['helm/roster/templates/deployment.yaml', 'args: [migrate]', 'args: [start]'],
  ['helm/roster/templates/deployment.yaml', '/readyz', '/healthz'],
  ['helm/roster/templates/deployment.yaml', '.Values.replicas) 1', '.Values.replicas) 9'],
  ['helm/roster/templates/disruption.yaml', '.Values.replicas) 1', '.Values.replicas) 5'],
  ['helm/roster/templates/_names.tpl', 'secretKeyRef: { name: {{ . }}, key: DATABASE_URL }', 'x: y'],
  ['helm/roster/templates/_names.tpl', 'drop: [ALL]', 'drop: []'],
  ['helm/roster/values.schema.json', '^(https://[^/]+)?$', ''],
  ['helm/roster/values.yaml', 'trustProxy: 1', 'trustProxy: 1\nunused: 1'],
  ['helm/roster/Chart.yaml', 'version: ', 'version: 9'],
  ['systemd/roster.service', 'DATA_DIR', 'DATA_FOLDER'],
];
const missed = [];
for (plant of planted) if (checkAll().length === 0) missed.push(`Planted, and not found: ${plant.join(' → ')}`);
plant = undefined;
checkAll();
failures.push(...missed);
for (const failure of failures) console.error(failure);
console.log(`${planted.length} planted violations, ${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
