import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { Email } from '@roster/contracts/auth';
import { z } from 'zod';
import { failureReason, StartupError } from '#server/lib/errors';
import { parseAllowedHosts } from '#server/outbound/allowed-hosts';
import { createProxySelector } from '#server/outbound/proxy';
import {
  generatedMasterKeys,
  type MasterKey,
  masterKeyFile,
  parseMasterKeys,
  readMasterKeyFile,
} from '#server/security/master-key';
import { Secret } from '#server/security/secret';
import { readHeaders } from '#server/tracing/headers';
import { parseBackupSettings, readBackupPassphrase } from './backup-settings.ts';
import { Environment } from './environment.ts';
import { openIdSecretVariables, readOpenIdProviders, variablePrefix } from './openid-providers.ts';
import { readToolCommands } from './tool-commands.ts';
import { configWarnings } from './warnings.ts';

class InvalidConfigurationError extends StartupError {
  override name = 'InvalidConfigurationError';
}

/** A host in the form that `listen` takes: IPv6 addresses may come in brackets, as in a URL. */
const stripBrackets = (host: string) => host.toLowerCase().replace(/^\[(.*)\]$/, '$1');

export function isLoopback(hostname: string): boolean {
  const host = stripBrackets(hostname);
  if (isIP(host) === 6) return URL.parse(`http://[${host}]`)?.hostname === '[::1]';
  return host === 'localhost' || (isIP(host) === 4 && host.startsWith('127.'));
}

function masterKeys(env: Environment, loopback: boolean, dataDir: string): MasterKey[] {
  if (env.MASTER_KEY && env.MASTER_KEY_FILE)
    throw new InvalidConfigurationError('Set MASTER_KEY or MASTER_KEY_FILE, not both.');
  if (env.MASTER_KEY) return parseMasterKeys(env.MASTER_KEY, 'MASTER_KEY');
  if (env.MASTER_KEY_FILE) return readMasterKeyFile(resolve(env.MASTER_KEY_FILE));
  if (!loopback)
    throw new InvalidConfigurationError(
      'Outside loopback MASTER_KEY or MASTER_KEY_FILE is required. Make a key with: openssl rand -base64 32',
    );
  return generatedMasterKeys(dataDir);
}

/** The variables that hold secrets; main.ts deletes them from the environment once they are read. */
export const secretVariables: readonly string[] = [
  ...openIdSecretVariables,
  'MASTER_KEY',
  'SMTP_URL',
  'GOOGLE_CLIENT_SECRET',
  'GITHUB_CLIENT_SECRET',
  'S3_SECRET_ACCESS_KEY',
  'METRICS_TOKEN',
  'SCIM_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  // A proxy's URL may contain a password. Other programs read these variables too, some of them only in lower case.
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
];

/** Our OAuth client at an identity provider; undefined if it is not configured. */
function oauthClient(name: 'GOOGLE' | 'GITHUB', id: string | undefined, secret: string | undefined) {
  if (!id && !secret) return undefined;
  if (!id || !secret)
    throw new InvalidConfigurationError(`Set ${name}_CLIENT_ID and ${name}_CLIENT_SECRET, both or none.`);
  return { clientId: id, clientSecret: new Secret(secret) };
}

/** Rejects credentials in the URL, because the URL is logged. */
function parseBareUrl(name: string, address: string): URL {
  const url = new URL(address);
  if (url.username || url.password || url.search || url.hash)
    throw new InvalidConfigurationError(`${name} must be scheme, host and path only.`);
  return url;
}

/** Secrets and identities use this connection: plain http is allowed only for a test server on this machine. */
function parseTrustedUrl(name: string, address: string): URL {
  const url = parseBareUrl(name, address);
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    throw new InvalidConfigurationError(`${name} must begin with https:// outside loopback.`);
  return url;
}

/** The proxies for outgoing requests. */
function proxiesIn(env: Environment) {
  try {
    return createProxySelector(env);
  } catch (cause) {
    throw new InvalidConfigurationError(failureReason(cause), { cause });
  }
}

/** undefined: files are stored in the data folder. */
function parseS3(env: Environment) {
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_ACCESS_KEY_ID: keyId, S3_SECRET_ACCESS_KEY: secret } = env;
  if (!endpoint && !bucket && !keyId && !secret) return undefined;
  if (!endpoint || !bucket || !keyId || !secret)
    throw new InvalidConfigurationError(
      'Set S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, all of them or none.',
    );
  const url = parseTrustedUrl('S3_ENDPOINT', endpoint);
  return {
    endpoint: url,
    bucket,
    region: env.S3_REGION,
    accessKeyId: keyId,
    secretAccessKey: new Secret(secret),
    proxyFor: proxiesIn(env),
  };
}

/** Proxy variables are commonly written in either case. */
const normalizeProxyVariables = (variables: Record<string, string | undefined>) =>
  Object.fromEntries(
    ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].map((name) => [name, variables[name] || variables[name.toLowerCase()]]),
  );

const configuredOpenId = (variables: Record<string, string | undefined>, env: Environment) =>
  readOpenIdProviders(variables, {
    parseUrl: parseTrustedUrl,
    proxyFor: proxiesIn(env),
    invalid: (message) => new InvalidConfigurationError(message),
  });

/** Parses the variables and derives the URL and the data folder. */
function readEnvironment(variables: Record<string, string | undefined>) {
  const parsed = Environment.safeParse({ ...variables, ...normalizeProxyVariables(variables) });
  if (!parsed.success)
    throw new InvalidConfigurationError(`The configuration is not usable:\n${z.prettifyError(parsed.error)}`);
  const env = parsed.data;
  const publicUrl = new URL(env.PUBLIC_URL ?? `http://localhost:${env.PORT}`);
  const loopback = isLoopback(publicUrl.hostname);
  if (!loopback && publicUrl.protocol !== 'https:')
    throw new InvalidConfigurationError('PUBLIC_URL must begin with https:// outside loopback.');
  if (publicUrl.pathname !== '/' || publicUrl.search || publicUrl.hash || publicUrl.username || publicUrl.password)
    throw new InvalidConfigurationError(
      `PUBLIC_URL must be scheme and host only, such as ${publicUrl.origin}: Roster answers at the root of its address.`,
    );
  // On loopback the first account needs no setup code and the connection no https, so no other machine may reach the
  // server.
  if (loopback && !isLoopback(env.HOST))
    throw new InvalidConfigurationError(
      'HOST is not a loopback address, so others can reach Roster: set PUBLIC_URL to the https address people will use.',
    );
  return { env, publicUrl, loopback, dataDir: resolve(env.DATA_DIR), openId: configuredOpenId(variables, env) };
}

/** The settings that describe the installation; available without a running server. */
const describeInstallation = ({ env, publicUrl, loopback, dataDir }: ReturnType<typeof readEnvironment>) => ({
  publicUrl,
  loopback,
  dataDir,
  isPublic: !isLoopback(env.HOST),
  registration: env.REGISTRATION,
  trustProxy: env.TRUST_PROXY,
  minFreeDiskBytes: env.MIN_FREE_DISK_BYTES,
  isProviderPlain: isPlainElsewhere(new URL(env.PROVIDER_BASE_URL)),
  mail: parseMailServer(env.SMTP_URL),
  storeKind: env.S3_ENDPOINT ? ('s3' as const) : ('folder' as const),
  backsUp: env.BACKUP_SCHEDULE !== undefined,
  masterKeyFile: env.MASTER_KEY_FILE ? resolve(env.MASTER_KEY_FILE) : masterKeyFile(dataDir),
});
export type Installation = ReturnType<typeof describeInstallation>;

const isPlainElsewhere = ({ protocol, hostname }: URL) => protocol === 'http:' && !isLoopback(hostname);

/** undefined: no mail server. */
function parseMailServer(address: string | undefined) {
  const url = address === undefined ? null : URL.parse(address);
  if (!url) return undefined;
  const { searchParams } = url;
  const isPlain =
    url.protocol === 'smtp:' &&
    (searchParams.get('requireTLS') === 'false' || searchParams.get('ignoreTLS') === 'true');
  return { isPlain: isPlain && !isLoopback(url.hostname) };
}

const baseUrlOf = ({ PROVIDER_BASE_URL: url }: Environment) => url.replace(/\/+$/, '');
const modelCatalogueOf = ({ MODEL_CATALOGUE: file }: Environment) => file && resolve(file);

/** The configuration for operator commands. Creates no master key, and reads one only when asked. */
export function loadOperatorConfig(variables: Record<string, string | undefined>) {
  const read = readEnvironment(variables);
  const { env, publicUrl, loopback, dataDir } = read;
  const variable = env.MASTER_KEY ? 'MASTER_KEY' : env.MASTER_KEY_FILE ? 'MASTER_KEY_FILE' : undefined;
  const isMade = loopback && existsSync(masterKeyFile(dataDir));
  return {
    publicUrl,
    dataDir,
    databaseUrl: env.DATABASE_URL,
    mailsOut: env.SMTP_URL !== undefined,
    passwordLogin: env.PASSWORD_LOGIN === 'on',
    s3: parseS3(env),
    baseUrl: baseUrlOf(env),
    modelCatalogue: modelCatalogueOf(env),
    installation: describeInstallation(read),
    backupPassphrase: () => readBackupPassphrase(env.BACKUP_PASSPHRASE_FILE),
    /**
     * Why the server would refuse to start; undefined if it would start, as far as can be told without the master key.
     */
    refusal: () => startupProblem(read),
    /** The variable that holds the master keys; undefined: the file in the data folder. */
    masterKeyVariable: variable,
    /** undefined: none is configured yet. */
    masterKeys: () => (variable || isMade ? masterKeys(env, loopback, dataDir) : undefined),
  };
}

function startupProblem(read: ReturnType<typeof readEnvironment>): string | undefined {
  try {
    const { backups } = serverSettings(read);
    refuseSharedSecrets(read, [], backups?.passphrase);
    return undefined;
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
}

export type OperatorConfig = ReturnType<typeof loadOperatorConfig>;

/** Origins whose pages may call /v1 with a token, as browsers send them. */
function parseOrigins(list: string): ReadonlySet<string> {
  const origins = list.split(',').flatMap((part) => part.trim() || []);
  for (const origin of origins) {
    const url = URL.parse(origin);
    if (url?.origin !== origin || !/^https?:$/.test(url.protocol))
      throw new InvalidConfigurationError(
        `API_ALLOWED_ORIGINS: ${origin} is not an origin. Write scheme and host only, such as https://app.example.org, separated by commas.`,
      );
  }
  return new Set(origins);
}

/** Domains of the addresses that can register by themselves; none: all. */
function parseDomains(list: string): string[] {
  const domains = list.split(',').flatMap((part) => part.trim().normalize('NFC').toLowerCase().replace(/^@/, '') || []);
  for (const domain of domains)
    if (!Email.safeParse(`somebody@${domain}`).success)
      throw new InvalidConfigurationError(
        `REGISTRATION_DOMAINS: ${domain} is not a domain. Write what follows the @ of addresses, such as example.org, separated by commas.`,
      );
  return domains;
}

/** Hosts that people may name although they are private, on this machine or on an unusual port. */
function hostsAllowedIn(variable: 'TOOL_HOSTS_ALLOWED' | 'PROVIDER_HOSTS_ALLOWED', list: string) {
  try {
    return parseAllowedHosts(list);
  } catch (cause) {
    throw new InvalidConfigurationError(`${variable}: ${failureReason(cause)}.`, { cause });
  }
}

/** On loopback Roster's machine belongs to the people who use it, so connections may reach it unlisted. */
function connectionSettings({ CONNECTIONS: policy, PROVIDER_HOSTS_ALLOWED: list }: Environment, loopback: boolean) {
  const listed = hostsAllowedIn('PROVIDER_HOSTS_ALLOWED', list);
  return {
    policy,
    allowed: loopback ? parseAllowedHosts(`${list}, 127.0.0.0/8, ::1`) : listed,
    listsHosts: list.trim() !== '',
    /** The operator lists addresses, to which a name that is not listed may lead. */
    listsRanges: listed.hasRanges,
  };
}

/** The commands that administrators may add as tool servers. */
function configuredToolCommands(file: string | undefined) {
  try {
    return readToolCommands(file && resolve(file));
  } catch (cause) {
    throw new InvalidConfigurationError(`TOOL_COMMANDS: ${file} cannot be used: ${failureReason(cause)}.`, { cause });
  }
}

/** undefined: metrics are off and nothing is counted. */
function metricsSettings({ METRICS_PORT: port, METRICS_HOST: host, METRICS_TOKEN: token, PORT, HOST }: Environment) {
  if (port === undefined && token === undefined) return undefined;
  if (port === PORT && host === HOST)
    throw new InvalidConfigurationError('METRICS_PORT is the same as PORT. Set it to another one.');
  if (port !== undefined && token === undefined && !isLoopback(host))
    throw new InvalidConfigurationError(
      'METRICS_HOST is not a loopback address, so others can read the metrics: set METRICS_TOKEN.',
    );
  return {
    listen: port === undefined ? undefined : { port, host: stripBrackets(host) },
    token: token ? new Secret(token) : undefined,
  };
}

/** Without a token there is no provisioning. `provider`: its role groups apply to provisioned groups too. */
function scimSettings({ env, openId }: Pick<ReturnType<typeof readEnvironment>, 'env' | 'openId'>) {
  const { SCIM_TOKEN: token, SCIM_PROVIDER: id } = env;
  if (id !== undefined && !openId.some((provider) => provider.id === id))
    throw new InvalidConfigurationError(
      `SCIM_PROVIDER is ${id}, which is not configured. Set ${variablePrefix(id)}_ISSUER, or unset SCIM_PROVIDER.`,
    );
  return {
    token: token === undefined ? undefined : new Secret(token),
    provider: openId.find(({ isProvisioned }) => isProvisioned),
  };
}

/** undefined: there is no collector and nothing is traced. */
function tracingSettings(env: Environment) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = env;
  if (endpoint === undefined) return undefined;
  const url = (headers === undefined ? parseBareUrl : parseTrustedUrl)('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint);
  const given = readHeaders(headers ?? '');
  if (!given)
    throw new InvalidConfigurationError('OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas.');
  return {
    url: `${url.href.replace(/\/+$/, '')}/v1/traces`,
    headers: new Secret(JSON.stringify(given)),
    service: env.OTEL_SERVICE_NAME,
  };
}

/** Each secret has one purpose: a leak of one must not reveal another. */
function refuseSharedSecrets(
  { env, openId }: Pick<ReturnType<typeof readEnvironment>, 'env' | 'openId'>,
  keys: MasterKey[],
  passphrase: Secret | undefined,
) {
  const password = (address: string | undefined) => address && URL.parse(address)?.password;
  const secrets: [name: string, secret: string | undefined][] = [
    ...keys.map(({ key }): [string, string] => ['the master key', key.reveal().toString('base64')]),
    ['GOOGLE_CLIENT_SECRET', env.GOOGLE_CLIENT_SECRET],
    ['GITHUB_CLIENT_SECRET', env.GITHUB_CLIENT_SECRET],
    ...openId.map(({ prefix, clientSecret }): [string, string] => [`${prefix}_CLIENT_SECRET`, clientSecret.reveal()]),
    ['S3_SECRET_ACCESS_KEY', env.S3_SECRET_ACCESS_KEY],
    ['METRICS_TOKEN', env.METRICS_TOKEN],
    ['SCIM_TOKEN', env.SCIM_TOKEN],
    ['the password in SMTP_URL', password(env.SMTP_URL)],
    // DATABASE_DIRECT_URL leads to the same database, so it may share this password.
    ['the password in DATABASE_URL', password(env.DATABASE_URL)],
    ['the passphrase in BACKUP_PASSPHRASE_FILE', passphrase?.reveal()],
  ];
  const seen = new Map<string, string>();
  for (const [name, secret] of secrets) {
    if (!secret) continue;
    // A master key is the same in either base64 alphabet, with or without padding.
    const plain = secret.trim().replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
    const other = seen.get(plain);
    if (other !== undefined)
      throw new InvalidConfigurationError(`${capitalised(name)} is the same as ${other}. Give each its own.`);
    seen.set(plain, name);
  }
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Each is undefined if it is not configured. */
function loginProviderSettings(env: Environment) {
  const google = oauthClient('GOOGLE', env.GOOGLE_CLIENT_ID, env.GOOGLE_CLIENT_SECRET);
  const github = oauthClient('GITHUB', env.GITHUB_CLIENT_ID, env.GITHUB_CLIENT_SECRET);
  const proxyFor = proxiesIn(env);
  return {
    google: google && {
      ...google,
      proxyFor,
      issuer: parseTrustedUrl('GOOGLE_ISSUER', env.GOOGLE_ISSUER),
      trustEmail: env.GOOGLE_TRUST_EMAIL === 'true',
    },
    github: github && {
      ...github,
      proxyFor,
      url: parseTrustedUrl('GITHUB_URL', env.GITHUB_URL),
      apiUrl: parseTrustedUrl('GITHUB_API_URL', env.GITHUB_API_URL),
    },
  };
}

/** Google, GitHub and OpenID providers, and whether passwords and passkeys open accounts beside them. */
function signInSettings({ env, openId }: ReturnType<typeof readEnvironment>) {
  const providers = { ...loginProviderSettings(env), openId };
  const passwordLogin = env.PASSWORD_LOGIN === 'on';
  if (!passwordLogin && !providers.google && !providers.github && openId.length === 0)
    throw new InvalidConfigurationError(
      'PASSWORD_LOGIN=off leaves no way to sign in. Configure a login provider first, with OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET for example.',
    );
  return { ...providers, passwordLogin };
}

/** The server's settings except the master keys. */
function serverSettings(read: ReturnType<typeof readEnvironment>) {
  const { env, publicUrl, loopback, dataDir } = read;
  if (env.DATABASE_DIRECT_URL && !env.DATABASE_URL)
    throw new InvalidConfigurationError('DATABASE_DIRECT_URL bypasses the pooler in DATABASE_URL. Set both.');
  if (!loopback && env.RATE_LIMIT_SCALE !== 1)
    throw new InvalidConfigurationError('RATE_LIMIT_SCALE is for load tests on loopback only.');
  const installation = describeInstallation(read);
  const providerUrl = parseBareUrl('PROVIDER_BASE_URL', env.PROVIDER_BASE_URL);
  if (env.SMTP_URL && !env.MAIL_FROM)
    throw new InvalidConfigurationError('With SMTP_URL set MAIL_FROM too, the address that email is sent from.');
  const isOpenAi = providerUrl.hostname === 'api.openai.com';
  return {
    port: env.PORT,
    host: stripBrackets(env.HOST),
    publicUrl,
    loopback,
    dataDir,
    databaseUrl: env.DATABASE_URL,
    /** The same database without a pooler in between, for features that need a session. */
    databaseDirectUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
    provider: {
      baseUrl: baseUrlOf(env),
      name: env.PROVIDER_NAME ?? (isOpenAi ? 'OpenAI' : providerUrl.host),
      isOpenAi,
    },
    firstTokenMs: env.PROVIDER_FIRST_TOKEN_SECONDS * 1000,
    proxyFor: proxiesIn(env),
    includeSubdomains: env.HSTS_INCLUDE_SUBDOMAINS === 'true',
    warnings: configWarnings(installation),
    defaultModel: env.DEFAULT_MODEL,
    modelCatalogue: modelCatalogueOf(env),
    mail: {
      smtpUrl: env.SMTP_URL ? new Secret(env.SMTP_URL) : undefined,
      from: env.MAIL_FROM ?? `Roster <roster@${publicUrl.hostname}>`,
    },
    ...signInSettings(read),
    scim: scimSettings(read),
    s3: parseS3(env),
    backups: parseBackupSettings(env, env.S3_ENDPOINT !== undefined),
    minFreeDiskBytes: env.MIN_FREE_DISK_BYTES,
    followIntervalMs: env.FOLLOW_INTERVAL_MS,
    registration: env.REGISTRATION,
    registrationDomains: parseDomains(env.REGISTRATION_DOMAINS),
    apiAllowedOrigins: parseOrigins(env.API_ALLOWED_ORIGINS),
    toolHostsAllowed: hostsAllowedIn('TOOL_HOSTS_ALLOWED', env.TOOL_HOSTS_ALLOWED),
    connections: connectionSettings(env, loopback),
    toolCommands: configuredToolCommands(env.TOOL_COMMANDS),
    trustProxy: env.TRUST_PROXY,
    metrics: metricsSettings(env),
    traces: tracingSettings(env),
    logLevel: env.LOG_LEVEL,
    rateLimitScale: env.RATE_LIMIT_SCALE,
    installation,
  };
}

/** Reads the configuration. @throws InvalidConfigurationError or InvalidMasterKeyError with what to change */
export function loadConfig(variables: Record<string, string | undefined>) {
  const read = readEnvironment(variables);
  const { env, loopback, dataDir } = read;
  const settings = serverSettings(read);
  const keys = masterKeys(env, loopback, dataDir);
  refuseSharedSecrets(read, keys, settings.backups?.passphrase);
  return { ...settings, masterKeys: keys };
}

export type Config = ReturnType<typeof loadConfig>;
