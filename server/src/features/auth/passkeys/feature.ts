import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import type { SignInCookies } from '#server/features/auth/shared/browser-cookie';
import type { PasswordLogin } from '#server/features/auth/shared/password-login';
import type { SignInResponse } from '#server/features/auth/shared/sign-in-response';
import type { Router } from '#server/http/app-router/router';
import type { PasswordHashing } from '#server/security/password-hashing';
import { passkeyChallenges, passkeyCookie } from './challenge-repository.ts';
import { ownPasskeyService } from './own-passkeys.ts';
import { relyingParty } from './relying-party.ts';
import { passkeyRoutes } from './routes.ts';
import { passkeySignIn } from './sign-in.ts';

type Dependencies = {
  db: Kysely<Database>;
  config: Pick<Config, 'publicUrl'> & PasswordLogin;
  hashing: PasswordHashing;
  cookies: SignInCookies;
  response: SignInResponse;
  hasLoginProvider: (trx: Kysely<Database>, userId: number) => Promise<boolean>;
};

export function passkeyFeature({ db, config, cookies, response, ...owning }: Dependencies) {
  const { publicUrl } = config;
  const challenges = passkeyChallenges(db);
  const party = relyingParty(publicUrl);
  const common = { db, config, challenges, party };
  const own = ownPasskeyService({ ...common, ...owning });
  const signIn = passkeySignIn(common);
  const cookie = passkeyCookie(publicUrl.protocol === 'https:');
  return {
    routes: (router: Router) => passkeyRoutes(router, { own, signIn, cookie, cookies, response }),
  };
}
