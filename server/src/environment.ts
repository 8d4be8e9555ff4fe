import { z } from 'zod';

const Port = z.coerce.number().int().min(0).max(65_535);
const blankAsAbsent = (value: unknown) => (value === '' ? undefined : value);
const setting = <T extends z.ZodType>(schema: T) => z.preprocess(blankAsAbsent, schema);

/** Every variable is a row of the table in docs/operations.md. */
export const Environment = z.object({
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
  BACKUP_SCHEDULE: setting(z.string().max(1_000).optional()),
  BACKUP_TARGET: setting(z.string().max(1_000).optional()),
  BACKUP_KEEP: setting(z.coerce.number().int().min(1).max(1_000).default(7)),
  BACKUP_PASSPHRASE_FILE: setting(z.string().optional()),
  FOLLOW_INTERVAL_MS: setting(z.coerce.number().int().min(1).max(3_600_000).default(5_000)),
  REGISTRATION: setting(z.enum(['open', 'closed']).default('open')),
  API_ALLOWED_ORIGINS: setting(z.string().max(10_000).default('')),
  TOOL_HOSTS_ALLOWED: setting(z.string().max(10_000).default('')),
  TOOL_COMMANDS: setting(z.string().optional()),
  TRUST_PROXY: setting(z.coerce.number().int().min(0).max(10).default(0)),
  METRICS_PORT: setting(Port.min(1).optional()),
  METRICS_HOST: setting(z.string().default('127.0.0.1')),
  METRICS_TOKEN: setting(
    z
      .string()
      .regex(/^[\x21-\x7e]{16,512}$/, 'must be 16 to 512 letters, digits and signs without spaces')
      .optional(),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(z.url({ protocol: /^https?$/ }).optional()),
  OTEL_EXPORTER_OTLP_HEADERS: setting(z.string().max(10_000).optional()),
  OTEL_SERVICE_NAME: setting(z.string().max(100).default('roster')),
  LOG_LEVEL: setting(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info')),
  RATE_LIMIT_SCALE: setting(z.coerce.number().positive().default(1)),
});
export type Environment = z.output<typeof Environment>;
