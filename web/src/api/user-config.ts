import { account, type UserConfig } from '@roster/contracts/account';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { modelsQuery } from './models.ts';

const noKey: UserConfig = {
  hasApiKey: false,
  apiKeyAddedAt: null,
  apiKeyLast4: null,
  apiKeyVerified: false,
  apiKeyNotice: null,
};

/** Tells whether a provider key is saved. A failure reads as "no key", as specified. */
export const userConfigQuery = queryOptions({
  queryKey: ['user-config'],
  queryFn: async ({ signal }) => {
    try {
      return await call(account.config, {}, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return noKey;
    }
  },
});

export function useSaveApiKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (apiKey: string) => call(account.saveApiKey, { body: { apiKey } }),
    onSuccess: (config) => {
      client.setQueryData(userConfigQuery.queryKey, config);
      return client.invalidateQueries({ queryKey: modelsQuery.queryKey });
    },
    // A rejected key may have changed what is known about the saved one.
    onError: () => client.invalidateQueries({ queryKey: userConfigQuery.queryKey }),
  });
}

export function useRemoveApiKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(account.removeApiKey, {}),
    onSuccess: () => {
      client.setQueryData(userConfigQuery.queryKey, noKey);
      return client.invalidateQueries({ queryKey: modelsQuery.queryKey });
    },
  });
}
