import { expect, onTestFinished, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, newThread, until } from '#server/testing/chat';
import { uploaded } from '#server/testing/files';
import { freePort } from '#server/testing/free-port';
import { startNetworkLink } from '#server/testing/network-link';
import { startS3 } from '#server/testing/s3';
import { bareRequest } from '#server/testing/test-environment';

const token = 'metrics-token-of-the-tests';
const authorization = `Bearer ${token}`;
const metricsOf = async (app: Pick<TestApp, 'url'>, path = '/metrics') => {
  const { status, text } = await bareRequest(app, 'GET', path, { authorization });
  expect(status).toBe(200);
  return text;
};

type Sample = { name: string; labels: [name: string, value: string][]; value: number };

/** The samples of Prometheus' text format. */
function samplesIn(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', written = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const labels = [...written.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return { name, labels: labels.map(([, label = '', of = '']) => [label, of]), value: Number(value) };
    });
}
const ofName = (text: string, name: string) => samplesIn(text).filter((sample) => sample.name === name);
const figureOf = (text: string, name: string, labels: Record<string, string> = {}) =>
  ofName(text, name).find(({ labels: given }) =>
    Object.entries(labels).every(([label, value]) => given.some(([one, of]) => one === label && of === value)),
  )?.value;

test('shows metrics to nobody if none are configured', async () => {
  const app = await startApp('sqlite');
  onTestFinished(() => app.stop());
  expect((await bareRequest(app, 'GET', '/metrics', { authorization })).status).toBe(404);
});

test.each(engines)('counts what is done on %s, for holders of the token', async (engine) => {
  const app = await startApp(engine, { env: { METRICS_TOKEN: token } });
  onTestFinished(() => app.stop());
  for (const wrong of [undefined, 'Bearer ', `Bearer ${token}x`, `Basic ${token}`, token]) {
    const refused = await bareRequest(app, 'GET', '/metrics', wrong === undefined ? {} : { authorization: wrong });
    expect([refused.status, refused.body.code]).toEqual([401, 'not_signed_in']);
  }
  const ada = await app.withKey('ada');
  await uploaded(app, ada);
  await ask(app, ada, await newThread(ada), 'Hello');
  await ask(app, ada, await newThread(ada), '[[fail 500]]');
  const text = await until('the figures of two answers', async () => {
    const now = await metricsOf(app);
    return figureOf(now, 'roster_cost_usd_total') ? now : undefined;
  });
  const route = { method: 'POST', route: '/api/threads/:id/messages', status: '202' };
  expect(figureOf(text, 'roster_http_request_duration_seconds_count', route)).toBe(2);
  expect(figureOf(text, 'roster_time_to_first_token_seconds_count')).toBeGreaterThan(0);
  expect(figureOf(text, 'roster_token_delay_seconds_count')).toBeGreaterThan(0);
  expect(figureOf(text, 'roster_runs_ended_total', { state: 'complete' })).toBeGreaterThan(0);
  expect(figureOf(text, 'roster_tokens_total', { model: 'gpt-4o', kind: 'output' })).toBeGreaterThan(0);
  expect(figureOf(text, 'roster_files')).toBe(1);
  expect(figureOf(text, 'roster_processes')).toBe(1);
  for (const state of ['queued', 'running', 'waiting']) expect(figureOf(text, 'roster_runs', { state })).toBe(0);
  for (const part of ['database', 'storage']) expect(figureOf(text, 'roster_part_up', { part })).toBe(1);
  expect(figureOf(text, 'roster_jobs', { state: 'given_up' })).toBe(0);
  expect(ofName(text, 'nodejs_eventloop_lag_p99_seconds')).toHaveLength(1);
  expect(ofName(text, 'roster_database_connections')).toHaveLength(engine === 'postgres' ? 3 : 0);
});

/** Allowed label values. Written by hand, so that a new one needs a decision here. */
const labelValues: Record<string, RegExp> = {
  method: /^(GET|HEAD|POST|PATCH|PUT|DELETE|OPTIONS|other)$/,
  // Patterns: a number in one would be an id, except for the API's version.
  route: /^(none|\*|(\/(v1|[a-z.-]*|:[a-zA-Z]+|\*))+)$/,
  status: /^[1-5]\d\d$/,
  le: /^(\+Inf|[\d.]+)$/,
  quantile: /^[\d.]+$/,
  state: /^[a-z_]+$/,
  code: /^[a-z_]+$/,
  part: /^(database|storage)$/,
  model: /^(other|tools|(ft:)?[a-z0-9.-]+)$/,
  kind: /^[a-z_]+$/,
  version: /^v?\d+\.\d+\.\d+$/,
  major: /^\d+$/,
  minor: /^\d+$/,
  patch: /^\d+$/,
  type: /^\w+$/,
  space: /^\w+$/,
};

test('puts no personal data into labels, and adds none for hostile names and paths', async () => {
  const app = await startApp('sqlite', { env: { METRICS_TOKEN: token } });
  onTestFinished(() => app.stop());
  const ada = await app.withKey('ada');
  const headers = { authorization: `Bearer ${(await newToken(ada)).token}`, 'content-type': 'application/json' };
  async function beHostile(from: number) {
    for (let number = from; number < from + 20; number++) {
      await ada.get(`/api/planted-${number}@example.com`);
      await bareRequest(app, 'GET', `/planted/${number}"} 1\\n`.replaceAll(' ', '%20'));
      await bareRequest(app, 'TRACE', `/planted-${number}`);
      await ada.get(`/api/threads/${number}`);
      await bareRequest(app, 'POST', `/v1/planted-${number}`, headers, '{}');
      const body = { model: `planted-"${number}\n`, messages: [{ role: 'user', content: 'planted' }] };
      await bareRequest(app, 'POST', '/v1/chat/completions', headers, JSON.stringify(body));
    }
  }
  await beHostile(1);
  // The request for the metrics is counted too.
  await metricsOf(app);
  const before = samplesIn(await metricsOf(app));
  await beHostile(1_000);
  const text = await metricsOf(app);
  expect(text).not.toMatch(/planted|example\.com|ada/);
  const samples = samplesIn(text);
  const wrong = samples.flatMap(({ name, labels }) =>
    labels
      .filter(([label, value]) => !labelValues[label]?.test(value))
      .map(([label, value]) => `${name} ${label}=${value}`),
  );
  expect(wrong).toEqual([]);
  const own = (all: Sample[]) => all.filter(({ name }) => name.startsWith('roster_')).length;
  expect(own(samples)).toBe(own(before));
});

test('serves metrics on their own port only, and nothing of them on the main one', async () => {
  const port = await freePort();
  const app = await startApp('sqlite', { env: { METRICS_PORT: String(port) } });
  const own = { url: `http://127.0.0.1:${port}` };
  try {
    expect((await bareRequest(app, 'GET', '/metrics')).status).toBe(404);
    const { status, text } = await bareRequest(own, 'GET', '/metrics');
    expect([status, text]).toEqual([200, expect.stringContaining('roster_part_up{part="database"} 1')]);
    expect((await bareRequest(own, 'GET', '/api/sign-in-options')).status).toBe(404);
    expect((await bareRequest(own, 'POST', '/metrics')).status).toBe(404);
  } finally {
    await app.stop();
  }
  await expect(bareRequest(own, 'GET', '/metrics')).rejects.toThrow();
});

test('delays only its own figures when a store hangs', async () => {
  const s3 = await startS3();
  const line = await startNetworkLink({ host: '127.0.0.1', port: Number(new URL(s3.endpoint).port) });
  const env = { ...s3.env, S3_ENDPOINT: `http://127.0.0.1:${line.port}`, METRICS_TOKEN: token };
  const app = await startApp('sqlite', { env });
  onTestFinished(async () => {
    line.set('open');
    await app.stop();
    await line.close();
    await s3.close();
  });
  expect(figureOf(await metricsOf(app), 'roster_part_up', { part: 'storage' })).toBe(1);
  line.set('hang');
  const text = await until('an unavailable store', async () => {
    const now = await metricsOf(app);
    return figureOf(now, 'roster_part_up', { part: 'storage' }) === 0 ? now : undefined;
  });
  expect(figureOf(text, 'roster_part_up', { part: 'database' })).toBe(1);
});
