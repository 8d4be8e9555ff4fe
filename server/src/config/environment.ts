import { openIdProviders, RegistrationMode } from '@roster/contracts/auth';
import { ConnectionPolicy } from '@roster/contracts/connections/connections';
import { z } from 'zod';

/** Digits only: JavaScript also reads a blank, 0x10 and 1e3 as numbers, which are seldom meant. */
const wholeNumber = (least: number, most: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.int().min(least).max(most));
const port = (least: number) => wholeNumber(least, 65_535);
const blankAsUndefined = (value: unknown) => (typeof value === 'string' && value.trim() === '' ? undefined : value);
const setting = <T extends z.ZodType>(schema: T) => z.preprocess(blankAsUndefined, schema);

/** Each variable has a row in docs/operator/configure.md. */
export const Environment = z.object({
  PORT: setting(port(0).default(3000)),
  HOST: setting(z.string().default('127.0.0.1')),
  PUBLIC_URL: setting(z.url({ protocol: /^https?$/ }).optional()),
  DATA_DIR: setting(z.string().default('./data')),
  DATABASE_URL: setting(
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// (leave it out for the embedded database)')
      .optional(),
  ),
  DATABASE_DIRECT_URL: setting(
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
      .optional(),
  ),
  MASTER_KEY: setting(z.string().optional()),
  MASTER_KEY_FILE: setting(z.string().optional()),
  PROVIDER_BASE_URL: setting(z.url({ protocol: /^https?$/ }).default('https://api.openai.com/v1')),
  PROVIDER_NAME: setting(z.string().max(60).optional()),
  PROVIDER_FIRST_TOKEN_SECONDS: setting(wholeNumber(10, 7_200).default(600)),
  DEFAULT_MODEL: setting(z.string().max(200).default('gpt-4o')),
  MODEL_CATALOGUE: setting(z.string().optional()),
  SMTP_URL: setting(z.url({ protocol: /^smtps?$/, hostname: /./ }).optional()),
  MAIL_FROM: setting(
    z
      .string()
      .max(320)
      .regex(
        /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
        'must be an address, such as roster@example.org or Roster <roster@example.org>',
      )
      .optional(),
  ),
  GOOGLE_CLIENT_ID: setting(z.string().optional()),
  GOOGLE_CLIENT_SECRET: setting(z.string().optional()),
  GOOGLE_TRUST_EMAIL: setting(z.enum(['true', 'false']).default('false')),
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
  HTTPS_PROXY: setting(z.string().max(1_000).optional()),
  HTTP_PROXY: setting(z.string().max(1_000).optional()),
  NO_PROXY: setting(z.string().max(10_000).optional()),
  HSTS_INCLUDE_SUBDOMAINS: setting(z.enum(['true', 'false']).default('false')),
  MIN_FREE_DISK_BYTES: setting(wholeNumber(0, Number.MAX_SAFE_INTEGER).default(512 * 1024 * 1024)),
  BACKUP_SCHEDULE: setting(z.string().max(1_000).optional()),
  BACKUP_TARGET: setting(z.string().max(1_000).optional()),
  BACKUP_KEEP: setting(wholeNumber(1, 1_000).default(7)),
  BACKUP_PASSPHRASE_FILE: setting(z.string().optional()),
  FOLLOW_INTERVAL_MS: setting(wholeNumber(1, 3_600_000).default(5_000)),
  PASSWORD_LOGIN: setting(z.enum(['on', 'off']).default('on')),
  REGISTRATION: setting(RegistrationMode.default('open')),
  REGISTRATION_DOMAINS: setting(z.string().max(10_000).default('')),
  API_ALLOWED_ORIGINS: setting(z.string().max(10_000).default('')),
  TOOL_HOSTS_ALLOWED: setting(z.string().max(10_000).default('')),
  CONNECTIONS: setting(ConnectionPolicy.default('listed')),
  PROVIDER_HOSTS_ALLOWED: setting(z.string().max(10_000).default('')),
  TOOL_COMMANDS: setting(z.string().optional()),
  TRUST_PROXY: setting(wholeNumber(0, 10).default(0)),
  SCIM_TOKEN: setting(
    z
      .string()
      .regex(/^[\x21-\x7e]{32,512}$/, 'must be 32 to 512 letters, digits and symbols without spaces')
      .optional(),
  ),
  SCIM_PROVIDER: setting(z.enum(openIdProviders).optional()),
  METRICS_PORT: setting(port(1).optional()),
  METRICS_HOST: setting(z.string().default('127.0.0.1')),
  METRICS_TOKEN: setting(
    z
      .string()
      .regex(/^[\x21-\x7e]{16,512}$/, 'must be 16 to 512 letters, digits and symbols without spaces')
      .optional(),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(z.url({ protocol: /^https?$/ }).optional()),
  OTEL_EXPORTER_OTLP_HEADERS: setting(z.string().max(10_000).optional()),
  OTEL_SERVICE_NAME: setting(z.string().max(100).default('roster')),
  LOG_LEVEL: setting(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info')),
  RATE_LIMIT_SCALE: setting(
    z
      .string()
      .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be a number')
      .transform(Number)
      .pipe(z.number().positive())
      .default(1),
  ),
});
export type Environment = z.output<typeof Environment>;
