import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { securityHeaders } from '#server/http/protection/protection';
import { StartupError } from '#server/lib/errors';
import { loadConfig } from './config.ts';

const DATA_DIR = mkdtempSync(join(tmpdir(), 'roster-test-'));
afterAll(() => rmSync(DATA_DIR, { recursive: true }));

const MASTER_KEY = randomBytes(32).toString('base64');
const otherAlphabet = Buffer.from(MASTER_KEY, 'base64').toString('base64url');
const outside = { DATA_DIR, PUBLIC_URL: 'https://roster.example', MASTER_KEY };

const store = {
  S3_ENDPOINT: 'https://s3.example',
  S3_BUCKET: 'roster',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
};

function fileWith(text: string) {
  const file = join(DATA_DIR, 'passphrase');
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

const openId = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'roster', OIDC_CLIENT_SECRET: 'a secret' };

describe('the configuration', () => {
  test('needs no settings on loopback', () => {
    expect(loadConfig({ DATA_DIR })).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      loopback: true,
      databaseUrl: undefined,
      registration: 'open',
      registrationDomains: [],
      trustProxy: 0,
      rateLimitScale: 1,
      defaultModel: 'gpt-4o',
      provider: { baseUrl: 'https://api.openai.com/v1', isOpenAi: true },
    });
  });

  test('treats an empty variable as unset', () => {
    for (const empty of ['', ' ']) {
      const variables = { PORT: empty, PUBLIC_URL: empty, MASTER_KEY: empty, MIN_FREE_DISK_BYTES: empty };
      const { port, publicUrl, minFreeDiskBytes } = loadConfig({ DATA_DIR, ...variables });
      expect([port, publicUrl.href, minFreeDiskBytes]).toEqual([3000, 'http://localhost:3000/', 512 * 1024 * 1024]);
    }
  });

  test.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://127.8.9.10', 'http://[::1]:3000'])(
    'accepts %s as loopback',
    (PUBLIC_URL) => {
      expect(loadConfig({ DATA_DIR, PUBLIC_URL }).loopback).toBe(true);
    },
  );

  test.each([
    ['[::1]', '::1'],
    ['::1', '::1'],
    ['[0:0:0:0:0:0:0:1]', '0:0:0:0:0:0:0:1'],
    ['Localhost', 'localhost'],
    ['LOCALHOST', 'localhost'],
    ['127.0.0.2', '127.0.0.2'],
  ])('treats HOST=%s as loopback and listens on %s', (HOST, host) => {
    expect(loadConfig({ DATA_DIR, HOST })).toMatchObject({ host, loopback: true });
  });

  test('tells browsers to use https below PUBLIC_URL only if the operator asks for it', () => {
    const headers = (more = {}) => securityHeaders(loadConfig({ ...outside, ...more }))['strict-transport-security'];
    expect(headers()).toBe('max-age=31536000');
    expect(headers({ HSTS_INCLUDE_SUBDOMAINS: 'true' })).toBe('max-age=31536000; includeSubDomains');
  });

  test('accepts an address outside loopback with https and a master key', () => {
    expect(loadConfig(outside)).toMatchObject({ loopback: false, publicUrl: new URL('https://roster.example') });
  });

  test.each([
    ['plain http outside loopback', { ...outside, PUBLIC_URL: 'http://roster.example' }, 'https://'],
    ['an address that only looks like loopback', { ...outside, PUBLIC_URL: 'http://localhost.example' }, 'https://'],
    ['no master key outside loopback', { ...outside, MASTER_KEY: undefined }, 'MASTER_KEY'],
    ['two master keys', { ...outside, MASTER_KEY_FILE: '/none' }, 'not both'],
    ['all networks in brackets without PUBLIC_URL', { DATA_DIR, HOST: '[::]' }, 'PUBLIC_URL'],
    ['a name that only begins like this machine', { DATA_DIR, HOST: 'localhost.example' }, 'PUBLIC_URL'],
    ['every network without PUBLIC_URL', { DATA_DIR, HOST: '0.0.0.0' }, 'PUBLIC_URL'],
    ['all networks (IPv6) without PUBLIC_URL', { DATA_DIR, HOST: '::' }, 'PUBLIC_URL'],
    [
      'every network with a PUBLIC_URL on loopback',
      { DATA_DIR, HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost:3000' },
      'HOST',
    ],
    [
      'all networks (IPv6) with a PUBLIC_URL on loopback',
      { DATA_DIR, HOST: '::', PUBLIC_URL: 'http://[::1]:3000' },
      'HOST',
    ],
    [
      'one network with a PUBLIC_URL on loopback',
      { DATA_DIR, HOST: '192.168.1.5', PUBLIC_URL: 'http://localhost' },
      'HOST',
    ],
    ['an address with a path', { ...outside, PUBLIC_URL: 'https://roster.example/app' }, 'scheme and host only'],
    ['an address with a query', { ...outside, PUBLIC_URL: 'https://roster.example/?x=1' }, 'scheme and host only'],
    ['an address with a user', { ...outside, PUBLIC_URL: 'https://ada@roster.example' }, 'scheme and host only'],
    [
      'a master key that is another secret too',
      { ...outside, ...store, S3_SECRET_ACCESS_KEY: MASTER_KEY },
      'is the same as the master key',
    ],
    [
      'a master key that is the password of the mail server, in the other alphabet',
      { ...outside, SMTP_URL: `smtp://roster:${otherAlphabet}@mail.example`, MAIL_FROM: 'r@roster.example' },
      'is the same as the master key',
    ],
    [
      'two secrets that are one',
      {
        ...outside,
        GOOGLE_CLIENT_ID: 'a',
        GOOGLE_CLIENT_SECRET: 'same',
        GITHUB_CLIENT_ID: 'b',
        GITHUB_CLIENT_SECRET: 'same',
      },
      'GITHUB_CLIENT_SECRET is the same as GOOGLE_CLIENT_SECRET',
    ],
    [
      'headers for a collector that are none',
      { DATA_DIR, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_EXPORTER_OTLP_HEADERS: 'key=%ff' },
      'OTEL_EXPORTER_OTLP_HEADERS must be name=value',
    ],
    [
      'a secret for a collector over plain http',
      { DATA_DIR, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://traces.example', OTEL_EXPORTER_OTLP_HEADERS: 'key=value' },
      'must begin with https://',
    ],
    [
      'an address without a pooler, and none with one',
      { DATA_DIR, DATABASE_DIRECT_URL: 'postgres://localhost/roster' },
      'Set both',
    ],
    ['metrics that others can read', { DATA_DIR, METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' }, 'set METRICS_TOKEN'],
    ['a token for metrics that can be guessed', { DATA_DIR, METRICS_TOKEN: 'guess' }, 'METRICS_TOKEN'],
    ['a token for provisioning that can be guessed', { DATA_DIR, SCIM_TOKEN: 'x'.repeat(31) }, 'SCIM_TOKEN'],
    ['provisioning for a provider that is missing', { DATA_DIR, SCIM_PROVIDER: 'oidc-2' }, 'OIDC_2_ISSUER'],
    ['higher rates outside loopback', { ...outside, RATE_LIMIT_SCALE: '10' }, 'RATE_LIMIT_SCALE'],
    [
      'a key inside the provider’s address',
      { DATA_DIR, PROVIDER_BASE_URL: 'https://user:key@api.example/v1' },
      'scheme, host and path',
    ],
    [
      'a query in the provider’s address',
      { DATA_DIR, PROVIDER_BASE_URL: 'https://api.example/v1?key=1' },
      'scheme, host and path',
    ],
    ['a provider that is no web address', { DATA_DIR, PROVIDER_BASE_URL: 'file:///etc/passwd' }, 'PROVIDER_BASE_URL'],
    [
      'a password inside the store’s address',
      { ...outside, ...store, S3_ENDPOINT: 'https://user:planted@s3.example' },
      'S3_ENDPOINT must be scheme, host and path only',
    ],
    [
      'a query in the address of who says who signs in',
      { ...outside, GITHUB_CLIENT_ID: 'a', GITHUB_CLIENT_SECRET: 'b', GITHUB_API_URL: 'https://git.example/?x=1' },
      'GITHUB_API_URL must be scheme, host and path only',
    ],
    ['a mail server without a name', { DATA_DIR, SMTP_URL: 'smtp://', MAIL_FROM: 'r@roster.example' }, 'SMTP_URL'],
    [
      'a sender that is no address',
      { DATA_DIR, SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'Roster' },
      'such as roster@example.org',
    ],
    [
      'a passphrase of backups that is the master key',
      {
        ...outside,
        BACKUP_SCHEDULE: '0 3 * * *',
        BACKUP_TARGET: '/b',
        BACKUP_PASSPHRASE_FILE: fileWith(MASTER_KEY),
      },
      'The passphrase in BACKUP_PASSPHRASE_FILE is the same as the master key',
    ],
    ['one port for two', { DATA_DIR, PORT: '3000', METRICS_PORT: '3000' }, 'METRICS_PORT is the same as PORT'],
    ['another database', { DATA_DIR, DATABASE_URL: 'mysql://localhost/roster' }, 'DATABASE_URL'],
    ['a port that is none', { DATA_DIR, PORT: '70000' }, 'PORT'],
    ['a word for a port', { DATA_DIR, PORT: 'http' }, 'PORT'],
    ['a port in another notation', { DATA_DIR, PORT: '0x1F90' }, 'must be a whole number'],
    ['a registration domain that is none', { DATA_DIR, REGISTRATION_DOMAINS: 'acme' }, 'REGISTRATION_DOMAINS'],
    ['an unknown registration', { DATA_DIR, REGISTRATION: 'maybe' }, 'REGISTRATION'],
    ['a pattern of tool hosts', { DATA_DIR, TOOL_HOSTS_ALLOWED: 'a.org, *.b.org' }, 'TOOL_HOSTS_ALLOWED: *.b.org'],
    ['an unknown rule for connections', { DATA_DIR, CONNECTIONS: 'some' }, 'CONNECTIONS'],
    ['a pattern of provider hosts', { DATA_DIR, PROVIDER_HOSTS_ALLOWED: '*.b.org' }, 'PROVIDER_HOSTS_ALLOWED: *.b.org'],
    ['a negative number of proxies', { DATA_DIR, TRUST_PROXY: '-1' }, 'TRUST_PROXY'],
    ['a schedule without a target', { DATA_DIR, BACKUP_SCHEDULE: 'daily 03:00' }, 'BACKUP_TARGET, both or none'],
    ['a schedule that is none', { DATA_DIR, BACKUP_SCHEDULE: 'nightly', BACKUP_TARGET: '/b' }, 'daily 03:00'],
    ['backups on another planet', { DATA_DIR, BACKUP_SCHEDULE: '0 3 * * *', BACKUP_TARGET: 'ftp://b' }, 's3://BUCKET'],
    [
      'a bucket without a store',
      { DATA_DIR, BACKUP_SCHEDULE: '0 3 * * *', BACKUP_TARGET: 's3://abc' },
      'S3_ variables',
    ],
    ['no backup to be kept', { DATA_DIR, BACKUP_KEEP: '0' }, 'BACKUP_KEEP'],
    [
      'a passphrase that is not there',
      { DATA_DIR, BACKUP_SCHEDULE: '0 3 * * *', BACKUP_TARGET: '/b', BACKUP_PASSPHRASE_FILE: '/absent' },
      'BACKUP_PASSPHRASE_FILE: /absent cannot be read',
    ],
    ['no time for a first word', { DATA_DIR, PROVIDER_FIRST_TOKEN_SECONDS: '9' }, 'PROVIDER_FIRST_TOKEN_SECONDS'],
    [
      'half a second for a first word',
      { DATA_DIR, PROVIDER_FIRST_TOKEN_SECONDS: '10.5' },
      'PROVIDER_FIRST_TOKEN_SECONDS',
    ],
    ['a day for a first word', { DATA_DIR, PROVIDER_FIRST_TOKEN_SECONDS: '7201' }, 'PROVIDER_FIRST_TOKEN_SECONDS'],
    [
      'no passwords and no login provider',
      { DATA_DIR, PASSWORD_LOGIN: 'off' },
      'PASSWORD_LOGIN=off leaves no way to sign in',
    ],
    ['an unknown word for passwords', { DATA_DIR, PASSWORD_LOGIN: 'no' }, 'PASSWORD_LOGIN'],
    [
      'a login provider without its secret',
      { DATA_DIR, OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'roster' },
      'Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, all of them or none',
    ],
    ['an issuer that is no URL', { DATA_DIR, ...openId, OIDC_ISSUER: 'id.example' }, 'OIDC_ISSUER'],
    [
      'an unencrypted issuer elsewhere',
      { DATA_DIR, ...openId, OIDC_ISSUER: 'http://id.example' },
      'OIDC_ISSUER must begin with https://',
    ],
    ['scopes without openid', { DATA_DIR, ...openId, OIDC_SCOPES: 'email' }, 'OIDC_SCOPES: must contain openid'],
    ['an unknown client authentication', { DATA_DIR, ...openId, OIDC_AUTH_METHOD: 'none' }, 'OIDC_AUTH_METHOD'],
    ['a name on two lines', { DATA_DIR, ...openId, OIDC_NAME: 'Acme\nLogin' }, 'OIDC_NAME: must be one line'],
    [
      'a mistake at the second login provider',
      { DATA_DIR, ...openId, OIDC_2_ISSUER: 'https://other.example' },
      'Set OIDC_2_ISSUER',
    ],
    [
      'two login providers with one secret',
      {
        DATA_DIR,
        ...openId,
        OIDC_2_ISSUER: 'https://other.example',
        OIDC_2_CLIENT_ID: 'roster',
        OIDC_2_CLIENT_SECRET: openId.OIDC_CLIENT_SECRET,
      },
      'OIDC_2_CLIENT_SECRET is the same as OIDC_CLIENT_SECRET',
    ],
    ['a rate of nothing', { DATA_DIR, RATE_LIMIT_SCALE: '0' }, 'RATE_LIMIT_SCALE'],
  ])('rejects %s and says what to change', (_what, variables, message) => {
    expect(() => loadConfig(variables)).toThrow(StartupError);
    expect(() => loadConfig(variables)).toThrow(message);
  });

  test('warns about an unencrypted provider unless it is on this machine', () => {
    const warningsOf = (PROVIDER_BASE_URL: string) =>
      loadConfig({ DATA_DIR, PROVIDER_BASE_URL }).warnings.map(({ text }) => text);
    expect(warningsOf('http://models.internal:11434/v1')).toEqual([expect.stringContaining('PROVIDER_BASE_URL')]);
    for (const address of ['http://127.0.0.1:11434/v1', 'https://api.openai.com/v1'])
      expect(warningsOf(address)).toEqual([]);
  });

  test.each([
    ['TRUST_PROXY', { TRUST_PROXY: '1' }, 'Set it to the number of proxies'],
    ['SMTP_URL', { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'r@roster.example' }, 'Set SMTP_URL and MAIL_FROM'],
    ['REGISTRATION', { REGISTRATION: 'closed' }, 'Set REGISTRATION=closed'],
  ])('says outside loopback what to set while %s has its default, and only then', (name, set, message) => {
    const about = (variables: Record<string, string | undefined>) =>
      loadConfig(variables)
        .warnings.map(({ text }) => text)
        .filter((text) => text.startsWith(name));
    expect(about(outside)).toEqual([expect.stringContaining(message)]);
    expect(about({ ...outside, ...set })).toEqual([]);
    expect(about({ DATA_DIR })).toEqual([]);
  });

  test('does not reveal the master key when printed', () => {
    const config = loadConfig(outside);
    const bytes = Buffer.from(MASTER_KEY, 'base64');
    for (const text of [inspect(config, { depth: 9, showHidden: true }), JSON.stringify(config)]) {
      expect(text).not.toContain(MASTER_KEY.slice(0, 20));
      expect(text).not.toContain(bytes.toString('hex').slice(0, 20));
    }
  });
});
