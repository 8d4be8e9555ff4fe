import { z } from 'zod';
import { User } from './auth.ts';
import { endpoint, NoContent, PathId, Time } from './endpoint.ts';

/** How a second step can be taken. */
const secondFactorMethods = ['totp', 'passkey', 'recovery'] as const;
export const SecondFactorMethod = z.enum(secondFactorMethods);
export type SecondFactorMethod = z.output<typeof SecondFactorMethod>;

/** Six digits of an authenticator app, or a recovery code; spaces and hyphens do not count. */
export const SecondFactorCode = z
  .string()
  .max(100, 'The code is too long')
  .transform((code) => code.replace(/[\s-]+/g, '').toLowerCase())
  .pipe(z.string().min(1, 'Enter the code').max(40, 'The code is too long'));

export const AppCode = SecondFactorCode.refine((code) => /^\d{6}$/.test(code), 'Enter the 6 digits from your app');

export const SecondFactorState = z.object({
  /** The authenticator app; null: none is set up. */
  app: z.object({ addedAt: Time, lastUsedAt: Time.nullable() }).nullable(),
  passkeys: z.number().int(),
  recoveryCodesLeft: z.number().int(),
  /** True if an administrator requires a second factor of this account. */
  required: z.boolean(),
  /** From then on an account without one can only set one up; null: not required, or it has one. */
  dueAt: Time.nullable(),
});
export type SecondFactorState = z.output<typeof SecondFactorState>;

const RecoveryCodes = z.object({
  /** Shown once; null: those that the account has stay valid. */
  recoveryCodes: z.array(z.string()).nullable(),
});

export const requirements = ['nobody', 'administrators', 'everybody'] as const;
export const SecondFactorPolicy = z.strictObject({
  requiredOf: z.enum(requirements),
  /** Days in which an account without a second factor still works. */
  graceDays: z
    .number('Enter a number of days')
    .int('Enter a whole number of days')
    .min(0, 'Enter a number from 0 to 90')
    .max(90, 'Enter a number from 0 to 90'),
});
export type SecondFactorPolicy = z.output<typeof SecondFactorPolicy>;

export const secondFactor = {
  pending: endpoint({
    method: 'GET',
    path: '/api/login/second-factor',
    access: 'public',
    summary: 'Lists the ways to complete the sign-in that this browser has started.',
    output: z.object({ ways: z.array(SecondFactorMethod) }),
  }),
  complete: endpoint({
    method: 'POST',
    path: '/api/login/second-factor',
    access: 'public',
    rate: 'signIn',
    summary: 'Completes a sign-in with a code of an authenticator app or a recovery code.',
    body: z.strictObject({
      code: SecondFactorCode,
      /** Asks for no code in this browser for 30 days, until it is signed out. */
      remember: z.boolean().default(false),
    }),
    output: z.object({ user: User, returnPath: z.string() }),
  }),
  state: endpoint({
    method: 'GET',
    path: '/api/user/second-factor',
    access: 'user',
    beforeSetup: true,
    summary: 'Lists the second factors of the account, and whether one is required.',
    output: SecondFactorState,
  }),
  startApp: endpoint({
    method: 'POST',
    path: '/api/user/second-factor/app',
    access: 'user',
    fresh: true,
    rate: 'resetAttempt',
    beforeSetup: true,
    summary: 'Creates the secret of an authenticator app, which a code then confirms.',
    output: z.object({ secret: z.string(), uri: z.string() }),
  }),
  confirmApp: endpoint({
    method: 'POST',
    path: '/api/user/second-factor/app/confirm',
    access: 'user',
    beforeSetup: true,
    summary: 'Adds the authenticator app as a second factor, and makes recovery codes for the first one.',
    body: z.strictObject({ code: AppCode }),
    output: RecoveryCodes,
  }),
  removeApp: endpoint({
    method: 'DELETE',
    path: '/api/user/second-factor/app',
    access: 'user',
    fresh: true,
    summary: 'Removes the authenticator app. Without another factor, recovery codes and remembered devices go too.',
    output: NoContent,
    status: 204,
  }),
  newRecoveryCodes: endpoint({
    method: 'POST',
    path: '/api/user/second-factor/recovery-codes',
    access: 'user',
    fresh: true,
    rate: 'resetAttempt',
    summary: 'Replaces all recovery codes by new ones.',
    output: z.object({ recoveryCodes: z.array(z.string()) }),
  }),
  policy: endpoint({
    method: 'GET',
    path: '/api/admin/second-factor',
    access: 'admin',
    summary: 'Returns who must have a second factor.',
    output: SecondFactorPolicy.extend({
      /** Active accounts without a second factor. */
      without: z.number().int(),
    }),
  }),
  setPolicy: endpoint({
    method: 'PATCH',
    path: '/api/admin/second-factor',
    access: 'admin',
    fresh: true,
    summary: 'Requires a second factor of nobody, administrators or everybody.',
    body: SecondFactorPolicy,
    output: NoContent,
    status: 204,
  }),
  reset: endpoint({
    method: 'POST',
    path: '/api/admin/users/:id/reset-second-factor',
    access: 'admin',
    fresh: true,
    summary: 'Removes the second factors of an account, signs it out everywhere and emails its owner.',
    params: z.strictObject({ id: PathId }),
    output: NoContent,
    status: 204,
  }),
};
