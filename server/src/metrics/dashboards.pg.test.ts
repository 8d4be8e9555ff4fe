import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { startApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { bareRequest } from '#server/testing/test-environment';

const read = (path: string) => readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8');

const Rule = z.strictObject({
  alert: z.string().regex(/^Roster[A-Za-z]+$/),
  expr: z.string().min(1),
  for: z.string().regex(/^\d+[smhd]$/),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.strictObject({ summary: z.string().min(1), description: z.string().min(1) }),
});
const Alerts = z.strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(Rule).min(1) })) });
const Dashboard = z.object({
  panels: z.array(z.object({ id: z.number(), title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
});

const alerts = Alerts.parse(parse(read('prometheus/alerts.yml'))).groups.flatMap(({ rules }) => rules);
const { panels } = Dashboard.parse(JSON.parse(read('grafana/roster.json')));
const queries = [
  ...alerts.map(({ expr }) => expr),
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

const namesIn = (text: string) => text.match(/\b(?:roster|nodejs|process)_\w+/g) ?? [];
/** Labels in braces and after `by`; Prometheus itself adds `job` and `instance`. */
const labelsIn = (query: string) => [
  ...[...query.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label),
  ...[...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(',').map((label) => label.trim())),
];

test('queries only existing metrics in the dashboard and the alerts', async () => {
  const token = 'metrics-token-of-the-tests';
  const app = await startApp('postgres', { env: { METRICS_TOKEN: token } });
  onTestFinished(() => app.stop());
  const value = JSON.stringify({ at: '2026-01-01T00:00:00.000Z', name: 'roster.tar', bytes: 1 });
  await withDatabase(app, (db) => db.insertInto('settings').values({ name: 'last_backup', value }).execute());
  const { text } = await bareRequest(app, 'GET', '/metrics', { authorization: `Bearer ${token}` });
  const there = new Set<string>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm))
    for (const end of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) there.add(`${name}${end}`);
  expect(there.size).toBeGreaterThan(30);
  const queried = queries.flatMap(namesIn);
  expect(queried.length).toBeGreaterThan(30);
  expect(queried.filter((name) => !there.has(name))).toEqual([]);
  // Each of Roster's own metrics is used somewhere.
  const own = [...there].filter((name) => /^roster_.*(?<!_bucket|_sum|_count)$/.test(name));
  expect(own.filter((name) => !queried.includes(name))).toEqual([]);
});

test('groups only by existing labels in the dashboard and the alerts', () => {
  const labels = [
    'job',
    'instance',
    'le',
    'method',
    'route',
    'status',
    'state',
    'code',
    'part',
    'model',
    'kind',
    'version',
  ];
  expect(queries.flatMap(labelsIn).filter((label) => label === undefined || !labels.includes(label))).toEqual([]);
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});
