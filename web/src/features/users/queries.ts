import { type SecondFactorPolicy, secondFactor } from '@roster/contracts/second-factor';
import { type ManagedUser, type UserSort, users } from '@roster/contracts/users';
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import type { z } from 'zod';
import { currentUserQuery } from '#web/api/current-user.ts';
import { call } from '#web/lib/api-client.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';

/** Filter and order of the list of accounts. */
export type UsersView = { q: string; sort: UserSort; order: 'asc' | 'desc' };

/** Refetched as a whole: an administrator's change affects accounts, figures and activity. */
export const usersKey = ['users'] as const;
/** Cursor of the first page. */
const start = '';

export const summaryQuery = queryOptions({
  queryKey: [...usersKey, 'summary'],
  queryFn: ({ signal }) => call(users.summary, {}, signal),
});

export const usersQuery = (view: UsersView) =>
  infiniteQueryOptions({
    queryKey: [...usersKey, 'list', view],
    queryFn: ({ pageParam, signal }) => {
      const { q, sort, order } = view;
      return call(
        users.list,
        { query: { sort, order, ...(q === '' ? {} : { q }), ...(pageParam === start ? {} : { cursor: pageParam }) } },
        signal,
      );
    },
    initialPageParam: start,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  });

export const eventsQuery = infiniteQueryOptions({
  queryKey: [...usersKey, 'events'],
  queryFn: ({ pageParam, signal }) =>
    call(users.events, { query: pageParam === start ? {} : { cursor: pageParam } }, signal),
  initialPageParam: start,
  getNextPageParam: (page) => page.nextCursor,
});

export const policyQuery = queryOptions({
  queryKey: [...usersKey, 'second-factor-policy'],
  queryFn: ({ signal }) => call(secondFactor.policy, {}, signal),
});

export function useAddUser() {
  const refetch = useRefetch(usersKey);
  return useMutation({
    mutationFn: (draft: z.input<typeof users.add.body>) => call(users.add, { body: draft }),
    onSuccess: refetch,
  });
}

export function useChangeUser() {
  const client = useQueryClient();
  const refetch = useRefetch(usersKey);
  return useMutation({
    mutationFn: ({ id, changes }: { id: number; changes: z.input<typeof users.change.body> }) =>
      call(users.change, { params: { id }, body: changes }),
    onSuccess: (changed: ManagedUser) => {
      // Changing one's own role or name shows everywhere at once.
      if (client.getQueryData(currentUserQuery.queryKey)?.id === changed.id)
        client.invalidateQueries({ queryKey: currentUserQuery.queryKey }).catch(() => undefined);
      return refetch();
    },
  });
}

export function useRemoveUser() {
  const refetch = useRefetch(usersKey);
  return useMutation({
    mutationFn: (id: number) => call(users.remove, { params: { id } }),
    onSuccess: refetch,
  });
}

export function useSignOutUser() {
  const refetch = useRefetch(usersKey);
  return useMutation({
    mutationFn: (id: number) => call(users.signOut, { params: { id } }),
    onSuccess: refetch,
  });
}

export function useResetUserPassword() {
  const refetch = useRefetch(usersKey);
  return useMutation({
    mutationFn: (id: number) => call(users.resetPassword, { params: { id } }),
    onSuccess: refetch,
  });
}

export function useSavePolicy() {
  const refetch = useRefetch(usersKey);
  return useMutation({
    mutationFn: (policy: SecondFactorPolicy) => call(secondFactor.setPolicy, { body: policy }),
    onSuccess: refetch,
  });
}

export function useResetSecondFactor() {
  const refetch = useRefetch(usersKey);
  return useMutation({
    mutationFn: (id: number) => call(secondFactor.reset, { params: { id } }),
    onSettled: refetch,
  });
}
