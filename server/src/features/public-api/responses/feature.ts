import { apiResponses as api } from '@roster/contracts/public-api/responses';
import type { FastifyBaseLogger } from 'fastify';
import type { OpenDatabase } from '#server/db/connect';
import type { Feature } from '#server/features/feature';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { CallLog } from '#server/features/public-api/shared/call-log';
import type { Ids } from '#server/features/public-api/shared/ids';
import type { StoreSearch } from '#server/features/public-api/vector-stores/search';
import { PublicApiError } from '#server/http/public-api/errors';
import { hourMs } from '#server/lib/scheduled-task';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { createBackgroundRunner } from './background.ts';
import { createCodeFileResolver } from './code-files.ts';
import { responseExport } from './export-part.ts';
import { fileNames } from './file-names.ts';
import { responseHistory } from './history.ts';
import { type RequestParser, requestParser } from './parse-request.ts';
import { providerNames } from './provider-names.ts';
import { responseRepository } from './repository.ts';
import { searchStores } from './search-stores.ts';
import { type ResponseSender, responseSender, type SenderProvider } from './send.ts';
import { responseService } from './service.ts';
import { responseStore } from './store.ts';
import { storedResponses } from './stored-responses.ts';

type Dependencies = Omit<
  Parameters<typeof requestParser>[0],
  'history' | 'names' | 'searchedBy' | 'codeFilesBy' | 'fileNames'
> &
  Parameters<typeof providerNames>[0] &
  Parameters<typeof createCodeFileResolver>[0] &
  Omit<Parameters<typeof responseService>[0], 'orderOf' | 'ask' | 'store' | 'background' | 'started'> & {
    provider: SenderProvider;
    catalogue: Pick<Catalogue, 'leastEffort'>;
    fileIds: FileIds;
    searchedStores: StoreSearch['forAnswer'];
    log: FastifyBaseLogger;
    providerTimes: Parameters<typeof createBackgroundRunner>[0]['providerTimes'];
    database: Pick<OpenDatabase, 'db' | 'reader'>;
    calls: CallLog;
    ids: () => Promise<Ids>;
  };

const cancelCheckMs = 1_000;

const noReplay = () =>
  new PublicApiError(
    'invalid_input',
    'Roster does not keep the events of responses. Read it without stream, until it has ended.',
    {
      param: 'stream',
    },
  );

/** /v1/responses, and how other features ask for responses when they need tools that only those have. */
export function responseFeature({
  database,
  calls,
  ids,
  ...dependencies
}: Dependencies): Feature & { responses: Pick<ResponseSender, 'byResponses'> & { orderOf: RequestParser } } {
  const repository = responseRepository(database.db);
  const history = responseHistory(repository, ids);
  const inItems = fileNames(ids, dependencies.fileIds);
  const background = createBackgroundRunner({ ...dependencies, repository });
  const { ask, byResponses } = responseSender(dependencies.provider, dependencies.catalogue);
  const orderOf = requestParser({
    ...dependencies,
    history,
    names: providerNames({ ...dependencies, ids }),
    searchedBy: searchStores(ids, dependencies.searchedStores),
    codeFilesBy: createCodeFileResolver({ ...dependencies, ids }),
    fileNames: inItems,
  });
  const service = responseService({
    ...dependencies,
    background,
    started: repository.started,
    orderOf,
    ask,
    store: responseStore({ calls, ids, reading: responseRepository(database.reader) }),
  });
  const kept = storedResponses({ repository, background, ids, fileNames: inItems });
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
      { everyMs: cancelCheckMs, run: background.endCancelled },
    ],
    close: background.close,
  };
}
