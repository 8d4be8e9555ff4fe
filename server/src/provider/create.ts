import type { Kysely } from 'kysely';
import type { Config } from '#server/config';
import type { Database } from '#server/db/schema';
import type { Chore } from '#server/jobs/upkeep';
import type { Metrics } from '#server/metrics/metrics';
import type { Tracing } from '#server/tracing/tracing';
import { answering } from './answering.ts';
import { providerContainers } from './containers.ts';
import { providerFiles } from './files.ts';
import { providerFineTuning } from './fine-tuning.ts';
import { createProviderHttp } from './http.ts';
import { keyChecker } from './key-check.ts';
import { providerLists } from './lists.ts';
import { servedResponses } from './no-responses.ts';
import { providerOrganization } from './organization.ts';
import type { Provider } from './provider.ts';
import { relaying } from './relay.ts';
import { missingTools, refusalOf } from './served-tools.ts';
import type { ProviderTimes } from './times.ts';
import { loadTraits } from './traits.ts';
import { providerVectorStores } from './vector-stores.ts';

/** Speaks the OpenAI HTTP API at the configured base URL. */
export async function createProvider(options: {
  db: Kysely<Database>;
  config: Config['provider'];
  proxyFor: Config['proxyFor'];
  times: ProviderTimes;
  metrics: Pick<Metrics, 'providerFailed'>;
  tracing: Pick<Tracing, 'outgoing'>;
}): Promise<Provider & { upkeep: readonly Chore[] }> {
  const { times } = options;
  const { baseUrl, name } = options.config;
  const http = createProviderHttp(baseUrl, times, {
    onFailure: options.metrics.providerFailed,
    outgoing: options.tracing.outgoing,
    proxyFor: options.proxyFor,
  });
  const traits = await loadTraits(options.db, baseUrl);

  return {
    answer: answering(http, name, traits),
    answerMs: times.answerMs,
    relay: relaying(http, times),
    responses: servedResponses(traits),
    refusedFields: {
      has: (model, field, apiKey) => traits.has(model, `refuses ${field}`, apiKey),
      learn: (model, field, apiKey) => traits.learn(model, `refuses ${field}`, apiKey),
      works: (model, field, apiKey) => traits.works(model, `refuses ${field}`, apiKey),
    },
    lacksTool: missingTools(traits, name),
    toolRefused: (model, tool, apiKey) => traits.learn(model, refusalOf(tool), apiKey),
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
