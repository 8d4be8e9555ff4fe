import { providerNameIn } from '@roster/contracts/provider-name';
import type { Secret } from '#server/security/secret';
import { modelListLimit, parseModels } from './resources/model-list.ts';
import { ProviderError } from './transport/error.ts';
import { isErrorValue } from './transport/error-fields.ts';
import { toStreamError } from './transport/failures.ts';
import type { ProviderHttp } from './transport/http.ts';
import { interactiveMs } from './transport/timeouts.ts';

export type KeyCheck =
  | { result: 'works' }
  /** The key is valid but may not list models. */
  | { result: 'limited'; notice: string }
  | { result: 'rejected'; notice: string }
  | { result: 'unreachable'; notice: string };

/** Checks a key by listing models, which costs nothing. */
export function keyChecker(http: ProviderHttp, name: string) {
  return async function checkKey(apiKey: Secret): Promise<KeyCheck> {
    try {
      const signal = AbortSignal.timeout(interactiveMs);
      const call = { method: 'GET', path: '/models', apiKey, retries: 0, limit: modelListLimit, signal } as const;
      const answer = await http.json(call);
      if (!parseModels(answer) && isErrorValue(answer)) throw toStreamError(answer, apiKey);
      return { result: 'works' };
    } catch (error) {
      if (!(error instanceof ProviderError)) {
        if (error instanceof DOMException && error.name === 'TimeoutError')
          return {
            result: 'unreachable',
            notice: `${providerNameIn('beginning', name)} did not answer in time; the key is saved but not verified.`,
          };
        throw error;
      }
      switch (error.code) {
        case 'key_rejected':
          return { result: 'rejected', notice: error.message };
        case 'missing_scope':
        case 'rate_limited':
        case 'insufficient_quota':
        case 'region':
          return { result: 'limited', notice: error.message };
        case 'not_served':
          return {
            result: 'limited',
            notice: `${providerNameIn('beginning', name)} has no list of models, so the key could not be tried.`,
          };
        default:
          return { result: 'unreachable', notice: `${error.message} The key is saved but not verified.` };
      }
    }
  };
}
