import { passkeys } from '@roster/contracts/passkeys';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { addPasskey } from '#web/api/add-passkey.ts';
import { call } from '#web/lib/api-client.ts';

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => call(passkeys.list, {}, signal),
});

/** Also what depends on them: the second factor, and the security activity. */
function useRefetched() {
  const client = useQueryClient();
  return () =>
    Promise.all(
      [['passkeys'], ['second-factor'], ['security-events']].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
}

export function useAddPasskey() {
  return useMutation({
    mutationFn: addPasskey,
    onSuccess: useRefetched(),
  });
}

export function useRenamePasskey() {
  return useMutation({
    mutationFn: ({ id, name }: { id: number; name: string }) =>
      call(passkeys.rename, { params: { id }, body: { name } }),
    onSuccess: useRefetched(),
  });
}

export function useRemovePasskey() {
  return useMutation({
    mutationFn: (id: number) => call(passkeys.remove, { params: { id } }),
    onSettled: useRefetched(),
  });
}
