import { auth } from '@roster/contracts/auth';
import { useMutation } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** Asks for the link that sets a password. The answer is the same whether or not there is such an account. */
export function useRequestReset() {
  return useMutation({ mutationFn: (email: string) => call(auth.requestReset, { body: { email } }) });
}

/** Asks for the link that confirms the address of the signed-in account. */
export function useRequestConfirmation() {
  return useMutation({ mutationFn: () => call(auth.requestConfirmation, {}) });
}
