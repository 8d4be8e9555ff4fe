import { basename } from 'node:path';
import { backUp } from '#server/backup/back-up';
import { restore, verifyBackup } from '#server/backup/restore';
import { loadOperatorConfig, type OperatorConfig } from '#server/config/config';
import { type OpenDatabase, openDatabase, openDatabaseUnlocked, verifyDatabase } from '#server/db/connect';
import { checkSchema, migrate } from '#server/db/migrate';
import { lastBackup, saveTimestamp } from '#server/db/timestamps-repository';
import { loginLinkService } from '#server/features/auth/login-links';
import { passwordLinks } from '#server/features/auth/passwords';
import { CliError } from '#server/lib/cli-error';
import { StartupError, UnavailableError } from '#server/lib/errors';
import { version } from '#server/lib/version';
import { createFileStore, openFileStore } from '#server/storage/create';
import { check } from './check.ts';
import { operatorCommands } from './commands.ts';
import { rotateKeys } from './keys.ts';
import { migrateTo } from './migrate-to.ts';
import { retiringModels } from './models.ts';

const program = process.env.npm_lifecycle_event === 'roster' ? 'npm run roster --' : 'roster';
const start =
  program === 'roster' ? '  start                       starts the server, as does no command at all\n' : '';
const usage = `Usage: ${program} COMMAND

${start}  admin grant EMAIL           makes an active account an administrator
  user reset-link EMAIL       prints a link that sets a new password for an account
  user login-link EMAIL       prints a link that signs in to an account, for example while the login
                              provider cannot be reached
  user reset-second-factor EMAIL
                              removes the second factors of an account and signs it out
  backup FILE.tar             writes everything but the master key into a new file
  migrate                     brings the database up to date, as a start of the server does; on SQLite
                              the server has to be stopped
  check                       prints the status of the installation, and exits with 1 if something is wrong
  models                      lists models in use that retire, and how many assistants and people use each

These run while the server is running; the following require it to be stopped:

  restore FILE.tar            puts a backup into an empty installation; everybody has to sign in
                              again, unless --keep-sessions is added; --verify reads all of the
                              backup, beside a running server or without one, and restores nothing
  keys rotate                 replaces the master key that Roster generated
  migrate-to postgres://…     copies the embedded database into an empty PostgreSQL database

All take the same environment variables as the server. --version says which version this is.`;

type Option = '--keep-sessions' | '--verify';

type Command = {
  /** The arguments after its name. */
  takes?: string;
  /** Its options. */
  options?: readonly Option[];
  perform: (config: OperatorConfig, argument: string, options: ReadonlySet<Option>) => Promise<string>;
};

async function beside(config: OperatorConfig, work: (database: OpenDatabase) => Promise<string>): Promise<string> {
  const database = openDatabaseUnlocked(config.databaseUrl, config.dataDir);
  try {
    await verifyDatabase(database);
    await checkSchema(database);
    return await work(database);
  } finally {
    await database.close();
  }
}

const withUserCommands = (database: OpenDatabase, config: OperatorConfig) =>
  operatorCommands({
    database,
    mailsOut: config.mailsOut,
    passwordLogin: config.passwordLogin,
    passwordLink: passwordLinks(database.db, config.publicUrl, config),
    loginLink: loginLinkService(database.db, config).make,
  });

/** Lets migrations be a separate step before the first process of a new version. */
async function migrateDatabase({ databaseUrl, dataDir }: OperatorConfig): Promise<string> {
  const database = openDatabase(databaseUrl, dataDir);
  try {
    await verifyDatabase(database);
    const applied = await migrate(database);
    return applied.length === 0 ? 'The database is up to date.' : `The database was migrated: ${applied.join(', ')}.`;
  } finally {
    await database.close();
  }
}

const commands = new Map<string, Command>([
  [
    'admin grant',
    {
      takes: 'one email address',
      perform: (config, email) =>
        beside(config, (database) => withUserCommands(database, config).grantAdministrator(email)),
    },
  ],
  [
    'user reset-link',
    {
      takes: 'one email address',
      perform: (config, email) => beside(config, (database) => withUserCommands(database, config).makeResetLink(email)),
    },
  ],
  [
    'user login-link',
    {
      takes: 'one email address',
      perform: (config, email) => beside(config, (database) => withUserCommands(database, config).makeLoginLink(email)),
    },
  ],
  [
    'user reset-second-factor',
    {
      takes: 'one email address',
      perform: (config, email) =>
        beside(config, (database) => withUserCommands(database, config).resetSecondFactor(email)),
    },
  ],
  [
    'backup',
    {
      takes: 'the name of one new file',
      perform: (config, file) =>
        beside(config, async (database) => {
          const { createdAt, bytes, summary } = await backUp(database, await openFileStore(config), file);
          await saveTimestamp(database.db, lastBackup, { at: createdAt, name: basename(file), bytes });
          return summary;
        }),
    },
  ],
  [
    'restore',
    {
      takes: 'the name of one file',
      options: ['--keep-sessions', '--verify'],
      perform: (config, file, options) =>
        options.has('--verify')
          ? verifyBackup(config, file)
          : restore({ ...config, openStore: () => createFileStore(config) }, file, options.has('--keep-sessions')),
    },
  ],
  ['migrate', { perform: migrateDatabase }],
  [
    'check',
    {
      async perform(config) {
        const { text, isWell } = await check(config);
        if (!isWell) process.exitCode = 1;
        return text;
      },
    },
  ],
  ['models', { perform: (config) => beside(config, (database) => retiringModels(database, config)) }],
  ['keys rotate', { perform: rotateKeys }],
  [
    'migrate-to',
    { takes: 'the address of one PostgreSQL database', perform: (config, address) => migrateTo(config, address) },
  ],
]);

async function perform(words: string[]): Promise<string> {
  const [group = '', verb = ''] = words;
  if (words.length === 0 || group === '--help' || group === 'help') return usage;
  if (group === '--version') return version;
  const name = commands.has(group) ? group : `${group} ${verb}`.trim();
  const command = commands.get(name);
  if (!command) throw new CliError(`There is no command “${name}”.\n\n${usage}`);
  const rest = words.slice(name.split(' ').length);
  const options = new Set(command.options?.filter((option) => rest.includes(option)));
  const given = rest.filter((word) => !command.options?.some((option) => option === word));
  const [argument = ''] = given;
  if (given.length !== (command.takes ? 1 : 0))
    throw new CliError(`“${name}” takes ${command.takes ?? 'nothing more'}.\n\n${usage}`);
  return command.perform(loadOperatorConfig(process.env), argument, options);
}

// Files that a command writes are for their owner only, as with the server.
process.umask(0o077);

try {
  console.log(await perform(process.argv.slice(2)));
  // A store that never answers must not keep a command from ending.
  process.exit();
} catch (error) {
  const isExpected = error instanceof StartupError || error instanceof CliError;
  if (error instanceof UnavailableError) console.error(`The ${error.part} cannot be used: ${error.message}.`);
  else console.error(isExpected ? error.message : error);
  process.exitCode = 1;
}
