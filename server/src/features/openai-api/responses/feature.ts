import { apiResponses as api } from '@roster/contracts/openai-api/responses';
import type { FastifyBaseLogger } from 'fastify';
import type { OpenDatabase } from '#server/db/connect';
import type { Feature } from '#server/feature';
import type { ApiCalls } from '#server/features/openai-api/calls';
import type { Ids } from '#server/features/openai-api/ids';
import { ApiRefusal } from '#server/http/api-errors';
import { hourMs } from '#server/jobs/upkeep';
import { type ResponseAsking, responseAsking } from './asking.ts';
import { backgroundWork } from './background.ts';
import { codeFilesOfResponses } from './code-files.ts';
import { responseExport } from './export-part.ts';
import { fileNames } from './file-names.ts';
import { responseHistory } from './history.ts';
import { type ResponseOrders, responseOrders } from './order.ts';
import { providerNames } from './provider-names.ts';
import { keptResponses } from './reading.ts';
import { responseRepository } from './repository.ts';
import { storesSearched } from './searched-stores.ts';
import { responseService } from './service.ts';
import { responseStore } from './store.ts';

type Dependencies = Parameters<typeof responseAsking>[0] &
  Omit<Parameters<typeof responseOrders>[0], 'history' | 'names' | 'searchedBy' | 'codeFilesBy' | 'fileNames'> &
  Parameters<typeof providerNames>[0] &
  Parameters<typeof storesSearched>[0] &
  Parameters<typeof codeFilesOfResponses>[0] &
  Parameters<typeof fileNames>[0] &
  Omit<Parameters<typeof responseService>[0], 'orderOf' | 'ask' | 'store' | 'background' | 'begun'> & {
    log: FastifyBaseLogger;
    providerTimes: Parameters<typeof backgroundWork>[0]['providerTimes'];
    database: Pick<OpenDatabase, 'db' | 'reader'>;
    calls: ApiCalls;
    ids: () => Promise<Ids>;
  };

const obeyEveryMs = 1_000;

const noReplay = () =>
  new ApiRefusal(
    'invalid_input',
    'Roster does not keep the events of responses. Read it without stream, until it has ended.',
    {
      param: 'stream',
    },
  );

/** /v1/responses; and how they are asked for, for who needs tools that only those have. */
export function responseFeature({
  database,
  calls,
  ids,
  ...dependencies
}: Dependencies): Feature & { responses: Pick<ResponseAsking, 'byResponses'> & { orderOf: ResponseOrders } } {
  const repository = responseRepository(database.db);
  const history = responseHistory({ repository, ids });
  const inItems = fileNames({ ...dependencies, ids });
  const background = backgroundWork({ ...dependencies, repository });
  const { ask, byResponses } = responseAsking(dependencies);
  const orderOf = responseOrders({
    ...dependencies,
    history,
    names: providerNames({ ...dependencies, ids }),
    searchedBy: storesSearched({ ...dependencies, ids }),
    codeFilesBy: codeFilesOfResponses({ ...dependencies, ids }),
    fileNames: inItems,
  });
  const service = responseService({
    ...dependencies,
    background,
    begun: repository.begun,
    orderOf,
    ask,
    store: responseStore({ calls, ids, reading: responseRepository(database.reader) }),
  });
  const kept = keptResponses({ repository, background, ids, fileNames: inItems });
  return {
    responses: { orderOf, byResponses },
    apiRoutes({ route, rawRoute }) {
      rawRoute(api.create, service.create);
      route(api.get, ({ caller: { userId }, params, query }) => {
        if (query.stream === 'true') throw noReplay();
        return kept.get(userId, params.id);
      });
      route(api.remove, ({ caller: { userId }, params }) => kept.remove(userId, params.id));
      route(api.cancel, ({ caller: { userId }, params }) => kept.cancel(userId, params.id));
      route(api.inputItems, ({ caller: { userId }, params, query }) => kept.inputItems(userId, params.id, query));
    },
    exportParts: [
      responseExport(database, async () => {
        const { encode } = await ids();
        return (id) => encode('resp', id);
      }),
    ],
    upkeep: [
      { everyMs: hourMs, atStart: true, run: repository.forgetExpired },
      { everyMs: obeyEveryMs, run: background.obey },
    ],
    close: background.close,
  };
}
