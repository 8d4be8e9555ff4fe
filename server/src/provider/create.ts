import type { ConnectionApi, KeyHeader } from '@roster/contracts/connections/connections';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import type { ScheduledTask } from '#server/lib/scheduled-task';
import type { Secret } from '#server/security/secret';
import type { Tracing } from '#server/tracing/tracing';
import { createGenerator } from './generate.ts';
import { keyChecker } from './key-check.ts';
import type { Provider } from './provider.ts';
import { createRelay } from './relay.ts';
import { providerContainers } from './resources/containers.ts';
import { providerFiles } from './resources/files.ts';
import { providerFineTuning } from './resources/fine-tuning.ts';
import { providerLists } from './resources/lists.ts';
import { providerOrganization } from './resources/organization.ts';
import { providerVectorStores } from './resources/vector-stores.ts';
import { responsesAvailability } from './responses/availability.ts';
import { createProviderHttp } from './transport/http.ts';
import type { ProviderTimeouts } from './transport/timeouts.ts';
import { loadCapabilities } from './unsupported/capabilities.ts';
import { rejectionTrait, unsupportedTools } from './unsupported/tools.ts';

export type ProviderOptions = {
  db: Kysely<Database>;
  config: Pick<Config['provider'], 'baseUrl' | 'name'>;
  proxyFor: Config['proxyFor'];
  times: ProviderTimeouts;
  metrics: { providerFailed: (code: string) => void };
  tracing: Pick<Tracing, 'outgoing'>;
  /** For a connection; omitted: the installation's provider. */
  connection?: {
    /** Names what is learned of the provider, which holds for this connection alone. */
    scope: string;
    api: ConnectionApi;
    keyHeader: KeyHeader;
    headersOf: (apiKey: Secret) => Record<string, string>;
    connector: NonNullable<Parameters<typeof createProviderHttp>[2]>['connector'];
  };
};

/** Client of the OpenAI HTTP API at a base URL. */
export async function createProvider(
  options: ProviderOptions,
): Promise<Provider & { upkeep: readonly ScheduledTask[] }> {
  const { times, connection } = options;
  const { baseUrl, name } = options.config;
  const http = createProviderHttp(baseUrl, times, {
    onFailure: options.metrics.providerFailed,
    outgoing: options.tracing.outgoing,
    proxyFor: options.proxyFor,
    connector: connection?.connector,
    keyHeader: connection?.keyHeader,
    headersOf: connection?.headersOf,
  });
  const traits = await loadCapabilities(options.db, connection?.scope ?? baseUrl);
  const responses = responsesAvailability(traits, connection?.api);

  return {
    answer: createGenerator(http, name, traits, responses),
    answerMs: times.answerMs,
    relay: createRelay(http, times),
    responses,
    refusedFields: {
      has: (model, field, apiKey) => traits.has(model, `refuses ${field}`, apiKey),
      learn: (model, field, apiKey) => traits.learn(model, `refuses ${field}`, apiKey),
      works: (model, field, apiKey) => traits.works(model, `refuses ${field}`, apiKey),
    },
    lacksTool: unsupportedTools(traits, name),
    toolRefused: (model, tool, apiKey) => traits.learn(model, rejectionTrait(tool), apiKey),
    checkKey: keyChecker(http, name),
    ...providerLists(http, name),
    files: providerFiles(http),
    containers: providerContainers(http, times),
    organization: providerOrganization(http, name),
    vectorStores: providerVectorStores(http, traits, times),
    fineTuning: providerFineTuning(http),
    upkeep: [traits.reread],
    close: () => http.close(),
  };
}
