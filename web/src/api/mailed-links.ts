import { auth } from '@roster/contracts/auth';
import { useMutation } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** Requests a password link. The answer is the same whether or not the account exists. */
export function useRequestReset() {
  return useMutation({ mutationFn: (email: string) => call(auth.requestReset, { body: { email } }) });
}

/** Requests a confirmation link for the user's email address. */
export function useRequestConfirmation() {
  return useMutation({ mutationFn: () => call(auth.requestConfirmation, {}) });
}
