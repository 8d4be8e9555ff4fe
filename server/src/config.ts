import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { CannotStart, reasonOf } from './errors.ts';
import { allowedHosts } from './http/allowed-hosts.ts';
import {
  generatedMasterKeys,
  type MasterKey,
  masterKeyFile,
  parseMasterKeys,
  readMasterKeyFile,
} from './security/master-key.ts';
import { Secret } from './security/secret.ts';
import { toolCommandsIn } from './tool-commands.ts';

const Port = z.coerce.number().int().min(0).max(65_535);
const blankAsAbsent = (value: unknown) => (value === '' ? undefined : value);
const setting = <T extends z.ZodType>(schema: T) => z.preprocess(blankAsAbsent, schema);

/** Every variable is a row of the table in docs/operations.md. */
const Environment = z.object({
  PORT: setting(Port.default(3000)),
  HOST: setting(z.string().default('127.0.0.1')),
  PUBLIC_URL: setting(z.url({ protocol: /^https?$/ }).optional()),
  DATA_DIR: setting(z.string().default('./data')),
  DATABASE_URL: setting(
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// (leave it out for the embedded database)')
      .optional(),
  ),
  MASTER_KEY: setting(z.string().optional()),
  MASTER_KEY_FILE: setting(z.string().optional()),
  PROVIDER_BASE_URL: setting(z.url({ protocol: /^https?$/ }).default('https://api.openai.com/v1')),
  PROVIDER_NAME: setting(z.string().max(60).optional()),
  DEFAULT_MODEL: setting(z.string().max(200).default('gpt-4o')),
  MODEL_CATALOGUE: setting(z.string().optional()),
  SMTP_URL: setting(z.url({ protocol: /^smtps?$/ }).optional()),
  MAIL_FROM: setting(z.string().max(320).optional()),
  GOOGLE_CLIENT_ID: setting(z.string().optional()),
  GOOGLE_CLIENT_SECRET: setting(z.string().optional()),
  GOOGLE_ISSUER: setting(z.url({ protocol: /^https?$/ }).default('https://accounts.google.com')),
  GITHUB_CLIENT_ID: setting(z.string().optional()),
  GITHUB_CLIENT_SECRET: setting(z.string().optional()),
  GITHUB_URL: setting(z.url({ protocol: /^https?$/ }).default('https://github.com')),
  GITHUB_API_URL: setting(z.url({ protocol: /^https?$/ }).default('https://api.github.com')),
  S3_ENDPOINT: setting(z.url({ protocol: /^https?$/ }).optional()),
  S3_BUCKET: setting(
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is not the name of a bucket')
      .optional(),
  ),
  S3_REGION: setting(z.string().max(100).default('us-east-1')),
  S3_ACCESS_KEY_ID: setting(z.string().optional()),
  S3_SECRET_ACCESS_KEY: setting(z.string().optional()),
  MIN_FREE_DISK_BYTES: setting(
    z.coerce
      .number()
      .int()
      .min(0)
      .default(512 * 1024 * 1024),
  ),
  FOLLOW_INTERVAL_MS: setting(z.coerce.number().int().min(1).max(3_600_000).default(5_000)),
  REGISTRATION: setting(z.enum(['open', 'closed']).default('open')),
  API_ALLOWED_ORIGINS: setting(z.string().max(10_000).default('')),
  TOOL_HOSTS_ALLOWED: setting(z.string().max(10_000).default('')),
  TOOL_COMMANDS: setting(z.string().optional()),
  TRUST_PROXY: setting(z.coerce.number().int().min(0).max(10).default(0)),
  LOG_LEVEL: setting(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info')),
  RATE_LIMIT_SCALE: setting(z.coerce.number().positive().default(1)),
});

export class UnusableConfiguration extends CannotStart {
  override name = 'UnusableConfiguration';
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function masterKeys(env: z.output<typeof Environment>, loopback: boolean, dataDir: string): MasterKey[] {
  if (env.MASTER_KEY && env.MASTER_KEY_FILE)
    throw new UnusableConfiguration('Set MASTER_KEY or MASTER_KEY_FILE, not both.');
  if (env.MASTER_KEY) return parseMasterKeys(env.MASTER_KEY, 'MASTER_KEY');
  if (env.MASTER_KEY_FILE) return readMasterKeyFile(resolve(env.MASTER_KEY_FILE));
  if (!loopback)
    throw new UnusableConfiguration(
      'Outside loopback MASTER_KEY or MASTER_KEY_FILE is required. Make a key with: openssl rand -base64 32',
    );
  return generatedMasterKeys(dataDir);
}

/** The variables that hold secrets; main.ts takes them out of the environment once they are read. */
export const secretVariables = [
  'MASTER_KEY',
  'SMTP_URL',
  'GOOGLE_CLIENT_SECRET',
  'GITHUB_CLIENT_SECRET',
  'S3_SECRET_ACCESS_KEY',
] as const;

/** An identity provider's application of ours; undefined where it is not configured. */
function client(name: 'GOOGLE' | 'GITHUB', id: string | undefined, secret: string | undefined) {
  if (!id && !secret) return undefined;
  if (!id || !secret) throw new UnusableConfiguration(`Set ${name}_CLIENT_ID and ${name}_CLIENT_SECRET, both or none.`);
  return { clientId: id, clientSecret: new Secret(secret) };
}

/** Secrets and identities go over this connection: plain http is for a test server on this machine only. */
function trusted(name: string, address: string): URL {
  const url = new URL(address);
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    throw new UnusableConfiguration(`${name} must begin with https:// outside loopback.`);
  return url;
}

/** undefined: files are kept in the data folder. */
function s3Of(env: z.output<typeof Environment>) {
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_ACCESS_KEY_ID: keyId, S3_SECRET_ACCESS_KEY: secret } = env;
  if (!endpoint && !bucket && !keyId && !secret) return undefined;
  if (!endpoint || !bucket || !keyId || !secret)
    throw new UnusableConfiguration(
      'Set S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, all of them or none.',
    );
  const url = trusted('S3_ENDPOINT', endpoint);
  return { endpoint: url, bucket, region: env.S3_REGION, accessKeyId: keyId, secretAccessKey: new Secret(secret) };
}

/** The variables, and where the installation is by them. */
function readEnvironment(variables: Record<string, string | undefined>) {
  const parsed = Environment.safeParse(variables);
  if (!parsed.success)
    throw new UnusableConfiguration(`The configuration is not usable:\n${z.prettifyError(parsed.error)}`);
  const env = parsed.data;
  const publicUrl = new URL(env.PUBLIC_URL ?? `http://localhost:${env.PORT}`);
  const loopback = isLoopback(publicUrl.hostname);
  if (!loopback && publicUrl.protocol !== 'https:')
    throw new UnusableConfiguration('PUBLIC_URL must begin with https:// outside loopback.');
  if (publicUrl.pathname !== '/' || publicUrl.search || publicUrl.hash || publicUrl.username || publicUrl.password)
    throw new UnusableConfiguration(
      `PUBLIC_URL must be scheme and host only, such as ${publicUrl.origin}: Roster answers at the root of its address.`,
    );
  // On loopback the first account needs no set-up code and the connection no https: no other machine may reach it then.
  if (loopback && !isLoopback(env.HOST))
    throw new UnusableConfiguration(
      'HOST is not a loopback address, so others can reach Roster: set PUBLIC_URL to the https address people will use.',
    );
  return { env, publicUrl, loopback, dataDir: resolve(env.DATA_DIR) };
}

/** What an operator's command needs to know. No master key is made, and one is read only where it is asked for. */
export function loadOperatorConfig(variables: Record<string, string | undefined>) {
  const { env, publicUrl, loopback, dataDir } = readEnvironment(variables);
  const variable = env.MASTER_KEY ? 'MASTER_KEY' : env.MASTER_KEY_FILE ? 'MASTER_KEY_FILE' : undefined;
  const isMade = loopback && existsSync(masterKeyFile(dataDir));
  return {
    publicUrl,
    dataDir,
    databaseUrl: env.DATABASE_URL,
    mailsOut: env.SMTP_URL !== undefined,
    s3: s3Of(env),
    /** The variable that the master keys come from; undefined: the file in the data folder. */
    masterKeyVariable: variable,
    /** undefined: none is configured yet. */
    masterKeys: () => (variable || isMade ? masterKeys(env, loopback, dataDir) : undefined),
  };
}

export type OperatorConfig = ReturnType<typeof loadOperatorConfig>;

/** Sites whose pages may call /v1 with a token, as a browser names them. */
function originsOf(list: string): ReadonlySet<string> {
  const origins = list.split(',').flatMap((part) => part.trim() || []);
  for (const origin of origins) {
    const url = URL.parse(origin);
    if (url?.origin !== origin || !/^https?:$/.test(url.protocol))
      throw new UnusableConfiguration(
        `API_ALLOWED_ORIGINS: ${origin} is no origin. Write scheme and host only, such as https://app.example.org, with commas between them.`,
      );
  }
  return new Set(origins);
}

/** What tool servers may be connected to although it is private, of this machine or at another port. */
function toolHostsOf(list: string) {
  try {
    return allowedHosts(list);
  } catch (cause) {
    throw new UnusableConfiguration(`TOOL_HOSTS_ALLOWED: ${reasonOf(cause)}.`, { cause });
  }
}

/** The commands that administrators may add as tool servers. */
function toolCommandsOf(file: string | undefined) {
  try {
    return toolCommandsIn(file && resolve(file));
  } catch (cause) {
    throw new UnusableConfiguration(`TOOL_COMMANDS: ${file} cannot be used: ${reasonOf(cause)}.`, { cause });
  }
}

/** One secret, one purpose: who learns the one must not have the other. */
function refuseSharedSecrets(env: z.output<typeof Environment>, keys: MasterKey[]) {
  const password = (address: string | undefined) => address && URL.parse(address)?.password;
  const secrets: [name: string, secret: string | undefined][] = [
    ...keys.map(({ key }): [string, string] => ['the master key', key.reveal().toString('base64')]),
    ['GOOGLE_CLIENT_SECRET', env.GOOGLE_CLIENT_SECRET],
    ['GITHUB_CLIENT_SECRET', env.GITHUB_CLIENT_SECRET],
    ['S3_SECRET_ACCESS_KEY', env.S3_SECRET_ACCESS_KEY],
    ['the password in SMTP_URL', password(env.SMTP_URL)],
    ['the password in DATABASE_URL', password(env.DATABASE_URL)],
  ];
  const seen = new Map<string, string>();
  for (const [name, secret] of secrets) {
    if (!secret) continue;
    // A master key is the same key in either alphabet, with or without its padding.
    const plain = secret.trim().replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
    const other = seen.get(plain);
    if (other !== undefined)
      throw new UnusableConfiguration(`${capitalised(name)} is the same as ${other}. Give each its own.`);
    seen.set(plain, name);
  }
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Reads the configuration. @throws UnusableConfiguration or UnusableSecret with what is to be changed. */
export function loadConfig(variables: Record<string, string | undefined>) {
  const { env, publicUrl, loopback, dataDir } = readEnvironment(variables);
  if (!loopback && env.RATE_LIMIT_SCALE !== 1)
    throw new UnusableConfiguration('RATE_LIMIT_SCALE is for load tests on loopback only.');
  const providerUrl = new URL(env.PROVIDER_BASE_URL);
  if (providerUrl.username || providerUrl.search || providerUrl.hash)
    throw new UnusableConfiguration('PROVIDER_BASE_URL must be scheme, host and path only.');
  if (env.SMTP_URL && !env.MAIL_FROM)
    throw new UnusableConfiguration('With SMTP_URL set MAIL_FROM too, the address that mail comes from.');
  const google = client('GOOGLE', env.GOOGLE_CLIENT_ID, env.GOOGLE_CLIENT_SECRET);
  const github = client('GITHUB', env.GITHUB_CLIENT_ID, env.GITHUB_CLIENT_SECRET);
  const isOpenAi = providerUrl.hostname === 'api.openai.com';
  const keys = masterKeys(env, loopback, dataDir);
  refuseSharedSecrets(env, keys);
  return {
    port: env.PORT,
    host: env.HOST,
    publicUrl,
    loopback,
    dataDir,
    databaseUrl: env.DATABASE_URL,
    masterKeys: keys,
    provider: {
      baseUrl: env.PROVIDER_BASE_URL.replace(/\/+$/, ''),
      name: env.PROVIDER_NAME ?? (isOpenAi ? 'OpenAI' : providerUrl.host),
      isOpenAi,
    },
    /** What is allowed and yet worth a word at each start. */
    warnings:
      providerUrl.protocol === 'http:' && !isLoopback(providerUrl.hostname)
        ? ['PROVIDER_BASE_URL begins with http://: provider keys and conversations cross the network as plain text']
        : [],
    defaultModel: env.DEFAULT_MODEL,
    modelCatalogue: env.MODEL_CATALOGUE && resolve(env.MODEL_CATALOGUE),
    mail: {
      smtpUrl: env.SMTP_URL ? new Secret(env.SMTP_URL) : undefined,
      from: env.MAIL_FROM ?? `Roster <roster@${publicUrl.hostname}>`,
    },
    google: google && { ...google, issuer: trusted('GOOGLE_ISSUER', env.GOOGLE_ISSUER) },
    github: github && {
      ...github,
      url: trusted('GITHUB_URL', env.GITHUB_URL),
      apiUrl: trusted('GITHUB_API_URL', env.GITHUB_API_URL),
    },
    s3: s3Of(env),
    minFreeDiskBytes: env.MIN_FREE_DISK_BYTES,
    followIntervalMs: env.FOLLOW_INTERVAL_MS,
    registration: env.REGISTRATION,
    apiAllowedOrigins: originsOf(env.API_ALLOWED_ORIGINS),
    toolHostsAllowed: toolHostsOf(env.TOOL_HOSTS_ALLOWED),
    toolCommands: toolCommandsOf(env.TOOL_COMMANDS),
    trustProxy: env.TRUST_PROXY,
    logLevel: env.LOG_LEVEL,
    rateLimitScale: env.RATE_LIMIT_SCALE,
  };
}

export type Config = ReturnType<typeof loadConfig>;
