import { z } from 'zod';
import { loginProviders } from './auth.ts';
import { endpoint, NoContent } from './endpoint.ts';
import { SecondFactorCode } from './second-factor.ts';

export const loginProviderMethods = loginProviders;
/** How a signed-in user can confirm their identity. `code`: of an authenticator app, or a recovery code. */
const confirmationMethods = ['password', 'code', 'passkey', ...loginProviderMethods] as const;
export const ConfirmationMethod = z.enum(confirmationMethods);
export type ConfirmationMethod = z.output<typeof ConfirmationMethod>;

export const IdentityConfirmation = z.strictObject({
  password: z.string().max(1024, 'Password cannot exceed 256 characters').optional(),
  code: SecondFactorCode.optional(),
});

export const freshSignIn = {
  state: endpoint({
    method: 'GET',
    path: '/api/user/confirm',
    access: 'user',
    beforeSetup: true,
    summary:
      'Returns whether the sign-in is recent enough for sensitive calls, and how the user can confirm their identity.',
    output: z.object({ isFresh: z.boolean(), ways: z.array(ConfirmationMethod) }),
  }),
  confirm: endpoint({
    method: 'POST',
    path: '/api/user/confirm',
    access: 'user',
    beforeSetup: true,
    rate: 'resetAttempt',
    summary:
      'Confirms the identity of the signed-in user with their password or a code; sensitive calls work for ten minutes.',
    body: IdentityConfirmation,
    output: NoContent,
    status: 204,
  }),
};
