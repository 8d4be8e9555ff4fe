import type { User } from '@roster/contracts/auth';
import { type PasswordLogin, usablePasswordHash } from './password-login.ts';
import type { UserRecord } from './repository.ts';

/** The user as sent to clients. Lists the fields so that nothing else of the row can leave. */
export function toUser(user: UserRecord, config: PasswordLogin): User {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    status: user.status,
    hasPassword: usablePasswordHash(config, user) !== null,
    emailVerified: user.emailVerified,
    createdAt: user.createdAt,
  };
}
