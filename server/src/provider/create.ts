import { providerIn } from '@roster/contracts/provider-name';
import type { Kysely } from 'kysely';
import type { Config } from '../config.ts';
import type { Database } from '../db/schema.ts';
import type { Secret } from '../security/secret.ts';
import { answering } from './answering.ts';
import { providerFiles } from './files.ts';
import { providerFineTuning } from './fine-tuning.ts';
import { createProviderHttp } from './http.ts';
import { listLimit, providerLists } from './lists.ts';
import { providerOrganization } from './organization.ts';
import { type KeyCheck, type Provider, ProviderError, pressedMs } from './provider.ts';
import { loadTraits } from './traits.ts';
import { providerVectorStores } from './vector-stores.ts';

/** Speaks the OpenAI HTTP API at the configured base URL. */
export async function createProvider(options: { db: Kysely<Database>; config: Config['provider'] }): Promise<Provider> {
  const { baseUrl, name } = options.config;
  const http = createProviderHttp(baseUrl);
  const traits = await loadTraits(options.db, baseUrl);

  async function checkKey(apiKey: Secret): Promise<KeyCheck> {
    try {
      const signal = AbortSignal.timeout(pressedMs);
      await http.json({ method: 'GET', path: '/models', apiKey, retries: 0, limit: listLimit, signal });
      return { result: 'works' };
    } catch (error) {
      if (!(error instanceof ProviderError)) {
        if (error instanceof DOMException && error.name === 'TimeoutError')
          return {
            result: 'unreachable',
            notice: `${providerIn('beginning', name)} did not answer in time; the key is saved but not verified.`,
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
            notice: `${providerIn('beginning', name)} has no list of models, so the key could not be tried.`,
          };
        default:
          return { result: 'unreachable', notice: `${error.message} The key is saved but not verified.` };
      }
    }
  }

  return {
    answer: answering(http, name, traits),
    checkKey,
    ...providerLists(http, name),
    files: providerFiles(http),
    organization: providerOrganization(http, name),
    vectorStores: providerVectorStores(http, () => !traits.has('*', 'has no responses')),
    fineTuning: providerFineTuning(http),
    close: () => http.close(),
  };
}
