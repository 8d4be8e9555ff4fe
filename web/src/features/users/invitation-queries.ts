import { invitations } from '@roster/contracts/invitations';
import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '#web/lib/api-client.ts';

/** Begins like the other lists of the page, so that a change of accounts refetches it too. */
const invitationsKey = ['users', 'invitations'] as const;
/** Cursor of the first page. */
const start = '';

export const invitationsQuery = infiniteQueryOptions({
  queryKey: invitationsKey,
  queryFn: ({ pageParam, signal }) =>
    call(invitations.list, { query: pageParam === start ? {} : { cursor: pageParam } }, signal),
  initialPageParam: start,
  getNextPageParam: (page) => page.nextCursor,
});

function useRefetchedInvitations() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['users'] });
}

export function useInvite() {
  const refetch = useRefetchedInvitations();
  return useMutation({
    mutationFn: (draft: z.input<typeof invitations.create.body>) => call(invitations.create, { body: draft }),
    onSuccess: refetch,
  });
}

export function useResendInvitation() {
  const refetch = useRefetchedInvitations();
  return useMutation({
    mutationFn: (id: number) => call(invitations.resend, { params: { id } }),
    onSettled: refetch,
  });
}

export function useRevokeInvitation() {
  const refetch = useRefetchedInvitations();
  return useMutation({
    mutationFn: (id: number) => call(invitations.revoke, { params: { id } }),
    onSettled: refetch,
  });
}
