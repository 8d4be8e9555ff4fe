import { passkeys } from '@roster/contracts/passkeys';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { addPasskey } from '#web/api/add-passkey.ts';
import { call } from '#web/lib/api-client.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => call(passkeys.list, {}, signal),
});

/** Also what depends on them: the second factor, and the security activity. */
const useRefetchedPasskeys = () => useRefetch(['passkeys'], ['second-factor'], ['security-events']);

export function useAddPasskey() {
  return useMutation({
    mutationFn: addPasskey,
    onSuccess: useRefetchedPasskeys(),
  });
}

export function useRenamePasskey() {
  return useMutation({
    mutationFn: ({ id, name }: { id: number; name: string }) =>
      call(passkeys.rename, { params: { id }, body: { name } }),
    onSuccess: useRefetchedPasskeys(),
  });
}

export function useRemovePasskey() {
  return useMutation({
    mutationFn: (id: number) => call(passkeys.remove, { params: { id } }),
    onSettled: useRefetchedPasskeys(),
  });
}
