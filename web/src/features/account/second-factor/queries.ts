import { secondFactor } from '@roster/contracts/second-factor';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { securityEventsQuery } from '#web/features/account/shared/security-events-query.ts';
import { call } from '#web/lib/api-client.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';

export const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => call(secondFactor.state, {}, signal),
  refetchOnMount: 'always',
});

export const useStartApp = () => useMutation({ mutationFn: () => call(secondFactor.startApp, {}) });

export const useConfirmApp = () =>
  useMutation({ mutationFn: (code: string) => call(secondFactor.confirmApp, { body: { code } }) });

export function useRemoveApp() {
  return useMutation({
    mutationFn: () => call(secondFactor.removeApp, {}),
    onSettled: useRefetch(secondFactorQuery.queryKey, securityEventsQuery.queryKey),
  });
}

export function useNewRecoveryCodes() {
  return useMutation({
    mutationFn: () => call(secondFactor.newRecoveryCodes, {}),
    onSettled: useRefetch(secondFactorQuery.queryKey, securityEventsQuery.queryKey),
  });
}
