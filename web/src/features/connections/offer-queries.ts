import {
  type ConnectionOfferChange,
  connectionOffers,
  type NewConnectionOffer,
} from '@roster/contracts/connections/offers';
import { users } from '@roster/contracts/users';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '#web/lib/api-client.ts';
import { useRefetchedConnections } from './queries.ts';

const offersKey = ['connection-offers'] as const;

export const offersQuery = queryOptions({
  queryKey: [...offersKey, 'list'],
  queryFn: ({ signal }) => call(connectionOffers.list, {}, signal),
  refetchOnMount: 'always',
});

export const offerUsesQuery = (id: number) =>
  queryOptions({
    queryKey: [...offersKey, id, 'uses'],
    queryFn: ({ signal }) => call(connectionOffers.uses, { params: { id } }, signal),
    refetchOnMount: 'always',
  });

export const spendingQuery = (id: number, month: string | undefined) =>
  queryOptions({
    queryKey: [...offersKey, id, 'spending', month],
    queryFn: ({ signal }) => call(connectionOffers.spending, { params: { id }, query: month ? { month } : {} }, signal),
    placeholderData: keepPreviousData,
    refetchOnMount: 'always',
  });

/** Accounts whose name or address contains the words. */
export const peopleQuery = (q: string) =>
  queryOptions({
    queryKey: [...offersKey, 'people', q],
    queryFn: ({ signal }) => call(users.list, { query: { q, limit: 8 } }, signal),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });

export function useAddOffer() {
  const onSettled = useRefetchedConnections(offersQuery.queryKey);
  return useMutation({
    mutationFn: (body: z.input<typeof NewConnectionOffer>) => call(connectionOffers.create, { body }),
    onSettled,
    // The key is not cached beyond the dialog.
    gcTime: 0,
  });
}

export function useChangeOffer() {
  const onSettled = useRefetchedConnections(offersQuery.queryKey);
  return useMutation({
    mutationFn: ({ id, ...body }: ConnectionOfferChange & { id: number }) =>
      call(connectionOffers.change, { params: { id }, body }),
    onSettled,
    gcTime: 0,
  });
}

export function useCheckOffer() {
  const onSettled = useRefetchedConnections(offersQuery.queryKey);
  return useMutation({
    mutationFn: ({ id, model }: { id: number; model?: string | undefined }) =>
      call(connectionOffers.check, { params: { id }, body: model === undefined ? {} : { model } }),
    onSettled,
  });
}

export const offerRefusalsQuery = (id: number) =>
  queryOptions({
    queryKey: [...offersKey, id, 'refusals'],
    queryFn: ({ signal }) => call(connectionOffers.refusals, { params: { id } }, signal),
    refetchOnMount: 'always',
  });

export function useAskOfferAgain(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(connectionOffers.askAgain, { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: offerRefusalsQuery(id).queryKey }),
  });
}

export function useRemoveOffer() {
  const onSettled = useRefetchedConnections(offersQuery.queryKey);
  return useMutation({ mutationFn: (id: number) => call(connectionOffers.remove, { params: { id } }), onSettled });
}
