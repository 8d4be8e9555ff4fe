import { loadOperatorConfig } from '../config.ts';
import { connectBeside } from '../db/connect.ts';
import { checkSchema } from '../db/migrate.ts';
import { CannotStart } from '../errors.ts';
import { passwordLinks } from '../features/auth/passwords.ts';
import { operatorCommands, Refused } from './commands.ts';

const usage = `Usage: npm run roster -- COMMAND

  admin grant EMAIL        makes an active account an administrator
  user reset-link EMAIL    prints a link that sets a new password for an account

The commands work beside the running server, with the same environment variables.`;

const commands = new Map<string, keyof ReturnType<typeof operatorCommands>>([
  ['admin grant', 'grantAdministrator'],
  ['user reset-link', 'makeResetLink'],
]);

async function perform(words: string[]): Promise<string> {
  const [group = '', verb = '', email, ...rest] = words;
  if (words.length === 0 || group === '--help' || group === 'help') return usage;
  const name = `${group} ${verb}`.trim();
  const command = commands.get(name);
  if (!command) throw new Refused(`There is no command “${name}”.\n\n${usage}`);
  if (email === undefined || rest.length > 0) throw new Refused(`“${name}” takes one email address.\n\n${usage}`);
  const config = loadOperatorConfig(process.env);
  const database = connectBeside(config.databaseUrl, config.dataDir);
  try {
    await checkSchema(database);
    const passwordLink = passwordLinks(database.db, config.publicUrl);
    return await operatorCommands({ database, passwordLink })[command](email);
  } finally {
    await database.close();
  }
}

try {
  console.log(await perform(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof CannotStart || error instanceof Refused ? error.message : error);
  process.exitCode = 1;
}
