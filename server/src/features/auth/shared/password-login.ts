import type { Config } from '#server/config/config';
import { AppError } from '#server/lib/errors';
import type { UserRecord } from './repository.ts';

/** With `PASSWORD_LOGIN=off` only login providers open accounts, whatever else the accounts have. */
export type PasswordLogin = Pick<Config, 'passwordLogin'>;

/** null: no password opens the account. */
export const usablePasswordHash = ({ passwordLogin }: PasswordLogin, user: Pick<UserRecord, 'passwordHash'>) =>
  passwordLogin ? user.passwordHash : null;

/** @throws login_provider_required if only login providers open accounts */
export function requirePasswordLogin({ passwordLogin }: PasswordLogin) {
  if (!passwordLogin)
    throw new AppError(
      'login_provider_required',
      'Passwords are turned off here. Go to the login page and use your login provider’s button.',
    );
}
