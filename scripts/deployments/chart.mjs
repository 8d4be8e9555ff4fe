// Renders the chart with the least and with all possible values.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { root } from '../install.mjs';
import { createRenderer } from './templates.mjs';

const folder = 'helm/roster';
const least = { publicUrl: 'https://roster.example.org', masterKeySecret: 'keys' };
const most = {
  ...least,
  replicas: 3,
  database: { secret: 'database' },
  secrets: ['store', 'mail'],
  env: { REGISTRATION: 'closed', S3_ENDPOINT: 'https://s3.example.org' },
  imagePullSecrets: [{ name: 'registry' }],
  nodeSelector: { zone: 'a' },
  tolerations: [{ key: 'only', operator: 'Exists' }],
  affinity: { nodeAffinity: { none: true } },
  persistence: { size: '1Gi', storageClass: 'quick' },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'certificate', annotations: { 'a/b': 'c' } },
};
/** Values that the schema, or a template, must reject. */
const refused = {
  'no address': { ...least, publicUrl: '' },
  'an address without https': { ...least, publicUrl: 'http://roster.example.org' },
  'no master key': { ...least, masterKeySecret: '' },
  'several processes on SQLite': { ...least, replicas: 2 },
  'half a process': { ...least, replicas: 0.5 },
  'a value that is none': { ...least, replica: 2 },
  'a variable that is none': { ...least, env: { 'no variable': 1 } },
};

/** The value at a path of names. */
const valueAt = (values, path) => path.split('.').reduce((value, name) => value?.[name], values);
const leaves = (value, path = []) =>
  value && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))
    : [path.join('.')];

/** Names of variables that would put a secret into the chart's text. */
const isSecretName = (name) => /KEY|SECRET|PASSWORD|DATABASE_URL|SMTP_URL|TOKEN/.test(name);

function deployment(object, given, expect, expectVariables) {
  const { template, strategy } = object.spec;
  const { initContainers, containers, securityContext } = template.spec;
  const [migrate] = initContainers;
  const [roster] = containers;
  expect(migrate.args?.[0] === 'migrate', 'The chart does not bring the database up to date as a step');
  expect(securityContext.runAsNonRoot === true, 'The chart runs as root');
  expect(strategy.type === (given.database ? 'RollingUpdate' : 'Recreate'), `The chart goes on by ${strategy.type}`);
  for (const [probe, path] of Object.entries({ startup: '/healthz', liveness: '/healthz', readiness: '/readyz' }))
    expect(roster[`${probe}Probe`]?.httpGet.path === path, `The chart has no ${probe} probe at ${path}`);
  for (const container of [migrate, roster]) {
    const { securityContext: own, env, envFrom = [] } = container;
    expect(own.readOnlyRootFilesystem === true && own.capabilities.drop[0] === 'ALL', `${container.name} may write`);
    expectVariables(
      env.map(({ name }) => name),
      `The chart's ${container.name}`,
    );
    for (const { name, value } of env)
      expect(value === undefined || !isSecretName(name), `The chart has the value of ${name} in its text`);
    const secret = (wanted) => env.find(({ name }) => name === wanted)?.valueFrom?.secretKeyRef.name;
    expect(secret('MASTER_KEY') === given.masterKeySecret, `${container.name} has no master key`);
    expect(secret('DATABASE_URL') === given.database?.secret, `${container.name} has no address of the database`);
    const named = envFrom.map(({ secretRef }) => secretRef.name).join();
    expect(named === (given.secrets ?? []).join(), `${container.name} is given other secrets: ${named}`);
  }
}

export function checkChart(read, expect, expectVariables) {
  const values = parse(read(`${folder}/values.yaml`));
  const isValid = new Ajv({ allowUnionTypes: true }).compile(JSON.parse(read(`${folder}/values.schema.json`)));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const about = parse(read(`${folder}/Chart.yaml`));
  expect(about.version === version && about.appVersion === version, `The chart is of another version than ${version}`);
  const names = readdirSync(join(root, 'deploy', folder, 'templates'));
  const files = names.map((name) => ({ name, text: read(`${folder}/templates/${name}`) }));

  const used = files.flatMap(({ text }) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path));
  for (const path of used)
    expect(valueAt(values, path) !== undefined, `A template asks for ${path}, which is no value`);
  for (const path of leaves(values))
    expect(
      used.some((name) => path === name || path.startsWith(`${name}.`)),
      `No template uses the value ${path}`,
    );

  function rendered(given) {
    const all = { ...values, ...given };
    if (!isValid(all)) throw new Error(`values.schema.json: ${isValid.errors.map(({ message }) => message).join()}`);
    const render = createRenderer(files, {
      values: all,
      chart: { AppVersion: about.appVersion },
      release: { Name: 'team', Service: 'Helm' },
    });
    return render().flatMap(({ text }) => parse(text) ?? []);
  }
  const kinds = ['Deployment', 'Service', 'Ingress'];
  for (const [given, also] of [
    [least, 'PersistentVolumeClaim'],
    [most, 'PodDisruptionBudget'],
  ])
    try {
      const objects = rendered(given);
      const found = objects.map(({ kind }) => kind).sort();
      expect(found.join() === [...kinds, also].sort().join(), `The chart makes ${found}`);
      for (const object of objects)
        if (object.kind === 'Deployment') deployment(object, given, expect, expectVariables);
    } catch (error) {
      expect(false, `The chart: ${error.message}`);
    }
  for (const [what, given] of Object.entries(refused)) {
    let isTaken = true;
    try {
      rendered(given);
    } catch {
      isTaken = false;
    }
    expect(!isTaken, `The chart takes ${what}`);
  }
}
