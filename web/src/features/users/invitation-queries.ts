import { invitations } from '@roster/contracts/invitations';
import { infiniteQueryOptions, useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '#web/lib/api-client.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';
import { usersKey } from './queries.ts';

/** Begins like the other lists of the page, so that a change of accounts refetches it too. */
const invitationsKey = [...usersKey, 'invitations'] as const;
/** Cursor of the first page. */
const start = '';

export const invitationsQuery = infiniteQueryOptions({
  queryKey: invitationsKey,
  queryFn: ({ pageParam, signal }) =>
    call(invitations.list, { query: pageParam === start ? {} : { cursor: pageParam } }, signal),
  initialPageParam: start,
  getNextPageParam: (page) => page.nextCursor,
});

export function useInvite() {
  const refetch = useRefetch(usersKey);
  return useMutation({
    mutationFn: (draft: z.input<typeof invitations.create.body>) => call(invitations.create, { body: draft }),
    onSuccess: refetch,
  });
}

export function useResendInvitation() {
  const refetch = useRefetch(usersKey);
  return useMutation({
    mutationFn: (id: number) => call(invitations.resend, { params: { id } }),
    onSettled: refetch,
  });
}

export function useRevokeInvitation() {
  const refetch = useRefetch(usersKey);
  return useMutation({
    mutationFn: (id: number) => call(invitations.revoke, { params: { id } }),
    onSettled: refetch,
  });
}
