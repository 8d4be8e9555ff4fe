import { secondFactor } from '@roster/contracts/second-factor';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { securityEventsQuery } from '#web/features/account/shared/security-events-query.ts';
import { call } from '#web/lib/api-client.ts';

export const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => call(secondFactor.state, {}, signal),
  refetchOnMount: 'always',
});

function useRefetched() {
  const client = useQueryClient();
  return () =>
    Promise.all([secondFactorQuery, securityEventsQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey })));
}

export const useStartApp = () => useMutation({ mutationFn: () => call(secondFactor.startApp, {}) });

export const useConfirmApp = () =>
  useMutation({ mutationFn: (code: string) => call(secondFactor.confirmApp, { body: { code } }) });

export function useRemoveApp() {
  return useMutation({ mutationFn: () => call(secondFactor.removeApp, {}), onSettled: useRefetched() });
}

export function useNewRecoveryCodes() {
  return useMutation({ mutationFn: () => call(secondFactor.newRecoveryCodes, {}), onSettled: useRefetched() });
}
