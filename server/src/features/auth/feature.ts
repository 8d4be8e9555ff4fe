import type { FastifyInstance } from 'fastify';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { Router } from '#server/http/app-router/router';
import type { RateLimits } from '#server/http/limits/rate-limits';
import type { SessionCookie } from '#server/http/sessions/cookie';
import type { SessionService } from '#server/http/sessions/sessions';
import type { MailTransport } from '#server/mail/transport';
import { createPasswordHashing, type HashingCost } from '#server/security/password-hashing';
import type { Vault } from '#server/security/vault';
import { authEmails } from './auth-emails.ts';
import { removeExpiredTokens } from './cleanup-repository.ts';
import { emailAddressService } from './email-address.ts';
import { freshSignInRoutes } from './fresh-sign-in/routes.ts';
import { freshSignInService } from './fresh-sign-in/service.ts';
import { invitationRoutes } from './invitations/routes.ts';
import { invitationService } from './invitations/service.ts';
import { loginLinkService } from './login-links.ts';
import { loginProviderClients } from './login-providers/clients.ts';
import { flowCookie } from './login-providers/flow-cookie.ts';
import { flowService } from './login-providers/flows.ts';
import { storeIssuers } from './login-providers/issuers.ts';
import { providerSessionService } from './login-providers/provider-sessions.ts';
import { flowRepository } from './login-providers/repository.ts';
import { loginProviderRoutes } from './login-providers/routes.ts';
import { loginProviderService } from './login-providers/service.ts';
import { passkeyFeature } from './passkeys/feature.ts';
import { passwordLinks, passwordService } from './passwords.ts';
import { authRoutes } from './routes.ts';
import { ownFactorService } from './second-factor/own-factors.ts';
import { secondFactorPolicyService } from './second-factor/policy.ts';
import { secondFactorRoutes } from './second-factor/routes.ts';
import { secondStepService } from './second-factor/second-step.ts';
import { codeVerifier } from './second-factor/verify-code.ts';
import { authService } from './service.ts';
import { signInCookies } from './shared/browser-cookie.ts';
import { passwordConfirmation } from './shared/confirm-password.ts';
import { refuseGuessable } from './shared/password-rules.ts';
import { signInResponse } from './shared/sign-in-response.ts';

type Dependencies = {
  app: FastifyInstance;
  config: Config;
  database: Pick<OpenDatabase, 'db'>;
  rates: RateLimits;
  sessions: SessionService;
  cookie: SessionCookie;
  setupCode: string;
  vault: Vault;
  mail: MailTransport;
  hashingCost: HashingCost | undefined;
  /** Closes the open responses of ended sessions. */
  onSessionsEnded: (sessionIds: string[]) => void;
};

export function authFeature(dependencies: Dependencies) {
  const { app, config, rates, sessions, cookie, setupCode, vault, mail, onSessionsEnded } = dependencies;
  const { db } = dependencies.database;
  const hashing = createPasswordHashing(dependencies.hashingCost);
  const confirmPassword = passwordConfirmation({ db, config, hashing, rates });
  const emailAddress = emailAddressService({ db, config, rates, confirmPassword, onSessionsEnded });
  const passwords = passwordService({ db, config, hashing, confirmPassword, onSessionsEnded });
  const auth = authService({ db, config, hashing, rates, emailAddress, setupCode });
  const isSecure = config.publicUrl.protocol === 'https:';
  const cookies = signInCookies(isSecure);
  const response = signInResponse({ sessions, cookie, cookies });
  const verifyCode = codeVerifier({ db, vault, hashing, rates });
  const freshSignIn = freshSignInService({ db, config, confirmPassword, verifyCode });
  const secondFactor = {
    secondStep: secondStepService({ db, config, verifyCode }),
    ownFactors: ownFactorService({ db, vault, hashing }),
    policy: secondFactorPolicyService(db, onSessionsEnded),
  };
  const providers = loginProviderClients(config);
  const providerSessions = providerSessionService({ db, vault, config, providers, onSessionsEnded });
  const connectedAccounts = loginProviderService({ db, vault, lockSession: sessions.lock, config, onSessionsEnded });
  const hasLoginProvider = connectedAccounts.hasUsable;
  const passkeys = passkeyFeature({ db, config, hashing, cookies, response, hasLoginProvider });
  const { mailConfirmation } = emailAddress;
  const invitations = invitationService({ db, config, hashing, mailConfirmation });
  const loginLinks = loginLinkService(db, config);
  const navigations = {
    flowCookie: flowCookie(isSecure),
    flows: flowService(flowRepository(db)),
    providers,
    providerSessions,
    invitationToAccept: invitations.hashOf,
  };

  return {
    routes(router: Router) {
      const signingIn = { sessions, cookie, response, connectedAccounts };
      authRoutes(router, { auth, loginLinks, passwords, emailAddress, config, providerSessions, ...signingIn });
      freshSignInRoutes(router, freshSignIn);
      secondFactorRoutes(router, { ...secondFactor, cookies, response });
      passkeys.routes(router);
      invitationRoutes(router, invitations, response);
      loginProviderRoutes(router, { app, config, rates, ...signingIn, ...navigations });
    },
    needsSetupCode: auth.needsSetupCode,
    isNewInstallation: auth.isNewInstallation,
    user: auth.user,
    confirmPassword,
    passwordLink: passwordLinks(db, config.publicUrl, config),
    hashPassword: hashing.hash,
    refuseGuessable,
    jobs: authEmails({ db, transport: mail, config }),
    upkeep: removeExpiredTokens(db),
    recover: () => storeIssuers(db, config),
  };
}
