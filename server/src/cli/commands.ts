import { Email } from '@roster/contracts/auth';
import type { ManagedUser } from '@roster/contracts/users';
import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import { lockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { resetSecondFactors } from '#server/features/auth/second-factor/changes';
import { managedUserRepository, unconfirmedEmailMessage } from '#server/features/users/repository';
import { CliError } from '#server/lib/cli-error';
import { securityEventRepository } from '#server/security/events-repository';

type Dependencies = {
  database: OpenDatabase;
  /** Mail is delivered, so an address can and must be confirmed. */
  mailsOut: boolean;
  passwordLogin: boolean;
  /** Creates a single-use link that sets the password, and logs that. */
  passwordLink: (userId: number, by: 'operator', about: { shownTo: null }) => Promise<string>;
  /** Creates a single-use link that signs in, and logs that. */
  loginLink: (userId: number) => Promise<string>;
};

/** Operator commands about users, run on the server's machine. Each returns what it did. */
export function operatorCommands({ database, mailsOut, passwordLogin, passwordLink, loginLink }: Dependencies) {
  async function activeUser(db: Kysely<Database>, typed: string): Promise<ManagedUser> {
    const email = Email.safeParse(typed);
    if (!email.success) throw new CliError(`“${typed}” is not an email address.`);
    const user = await managedUserRepository(db).byEmail(email.data);
    if (!user) throw new CliError(`There is no account with the address ${email.data}.`);
    if (user.status !== 'Active')
      throw new CliError(`The account ${user.email} is inactive. An administrator can activate it on the Users page.`);
    return user;
  }

  return {
    grantAdministrator: (email: string) =>
      database.db.transaction().execute(async (trx) => {
        const { id: userId, email: address, role, emailVerified } = await activeUser(trx, email);
        if (role === 'Admin') return `${address} is an administrator already. Nothing was changed.`;
        if (mailsOut && !emailVerified) throw new CliError(unconfirmedEmailMessage(address));
        await managedUserRepository(trx).setRole(userId, 'Admin');
        const detail = `${role} to Admin`;
        await securityEventRepository(trx).record({ userId, event: 'role_changed', by: 'operator', detail });
        return `${address} is an administrator now (was ${role}).`;
      }),
    resetSecondFactor: (email: string) =>
      database.db.transaction().execute(async (trx) => {
        const { id: userId, email: address } = await activeUser(trx, email);
        await lockUser(trx, userId);
        const ended = await resetSecondFactors(trx, userId, 'operator');
        if (ended === undefined) return `${address} has no second factor. Nothing was changed.`;
        return `The second factors and recovery codes of ${address} were removed, and the account was signed out on all devices.`;
      }),
    async makeLoginLink(email: string) {
      const { id: userId, email: address } = await activeUser(database.db, email);
      return `This link signs in as ${address}. It works once, for 30 minutes:\n${await loginLink(userId)}`;
    },
    async makeResetLink(email: string) {
      if (!passwordLogin)
        throw new CliError('Passwords are turned off (PASSWORD_LOGIN=off). Use instead: user login-link EMAIL');
      const { id: userId, email: address } = await activeUser(database.db, email);
      const link = await passwordLink(userId, 'operator', { shownTo: null });
      return `With this link ${address} can set a new password. It works once, for 30 minutes:\n${link}`;
    },
  };
}
