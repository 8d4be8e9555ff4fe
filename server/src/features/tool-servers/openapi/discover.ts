import type { DescribedOperation } from '@roster/contracts/tool-servers/openapi-servers';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { ToolServerError } from '#server/features/tool-servers/shared/failure';
import type { ServerSecrets } from '#server/features/tool-servers/shared/headers';
import type { DiscoveryResult, StoredServer } from '#server/features/tool-servers/shared/repository';
import { toolSelectionRepository } from '#server/features/tool-servers/shared/tool-selection-repository';
import type { OmittedTool } from '#server/features/tool-servers/shared/tool-snapshot';
import { AppError } from '#server/lib/errors';
import type { OpenApiClient } from './client.ts';
import { UnreadableDocumentError } from './document.ts';
import type { SecretPlace } from './parameters.ts';
import type { ParsedDescription } from './read.ts';
import type { ReadWorker } from './read-worker-client.ts';
import { descriptionRepository } from './repository.ts';

export type DiscoveredOperations = DiscoveryResult & {
  url: string;
  leftOut: OmittedTool[];
  leftOutCount: number;
  operations: DescribedOperation[];
};

function noticeOf(
  { leftOutCount, isCut, tools, operations }: ParsedDescription,
  chosen: ChosenOperations,
): string | null {
  if (isCut && !chosen)
    return `It has ${operations.length} operations, and ${tools.length} of them are tools. Choose the ones that you need.`;
  const present = new Set(operations.map(({ operation }) => operation));
  const missing = chosen?.filter((one) => !present.has(one)).length ?? 0;
  const notices = [
    missing > 0 &&
      `${missing === 1 ? 'One chosen operation is' : `${missing} chosen operations are`} no longer in its description.`,
    isCut && `The chosen operations are more than Roster can take: ${tools.length} of them are tools.`,
    leftOutCount > 0 &&
      `${leftOutCount === 1 ? 'One operation was' : `${leftOutCount} operations were`} left out. The list of its tools says why.`,
  ];
  return notices.filter((one) => one !== false).join(' ') || null;
}

type ChosenOperations = readonly string[] | null;

export const toDiscovery = (read: ParsedDescription, chosen: ChosenOperations): DiscoveredOperations => ({
  state: 'ready',
  notice: noticeOf(read, chosen),
  tools: read.tools,
  url: read.url,
  leftOut: read.leftOut,
  leftOutCount: read.leftOutCount,
  operations: read.operations,
});

export const secretPlaceOf = (auth: { type: string; name: string | null }): SecretPlace =>
  (auth.type === 'header' || auth.type === 'query') && auth.name !== null ? { in: auth.type, name: auth.name } : null;

type Dependencies = {
  db: Kysely<Database>;
  headers: ServerSecrets;
  openApi: OpenApiClient;
  thread: ReadWorker;
};

/** Reads a description, and makes tools of its operations. @throws ToolServerError */
export function createOpenApiDiscovery({ db, headers, openApi, thread }: Dependencies) {
  async function textOf(server: StoredServer, bounds: Parameters<OpenApiClient['description']>[1]) {
    const { user_id, id, description_url } = server;
    if (description_url !== null) return openApi.description(description_url, bounds);
    return (await descriptionRepository(db).text(user_id, id)) ?? '';
  }

  /** The secret was given for the address that its owner has seen. Returns null if it still goes there. */
  async function missingSecret(server: StoredServer, url: string): Promise<string | null> {
    if (server.auth_type === 'none') return null;
    try {
      headers.open({ ...server, url }, await toolSelectionRepository(db).dataKey(server.user_id));
      return null;
    } catch (error) {
      if (!(error instanceof ToolServerError)) throw error;
      return `Its tools are called at ${new URL(url).origin}. If that is right, enter the secret again: it was given for another address.`;
    }
  }

  return async (
    bounds: Parameters<OpenApiClient['description']>[1],
    server: StoredServer,
  ): Promise<DiscoveredOperations> => {
    const text = await textOf(server, bounds);
    const secret = secretPlaceOf({ type: server.auth_type, name: server.auth_name });
    const chosen = await descriptionRepository(db).chosen(server.user_id, server.id);
    const order = { text, descriptionUrl: server.description_url, baseUrl: server.base_url, secret, chosen };
    const read = await thread.read(order).catch((error: unknown) => {
      const isExplained = error instanceof UnreadableDocumentError || error instanceof AppError;
      if (isExplained) throw new ToolServerError(error.message, { mayHaveRun: false, cause: error });
      throw error;
    });
    const found = toDiscovery(read, chosen);
    return { ...found, notice: (await missingSecret(server, read.url)) ?? found.notice };
  };
}

export type OpenApiDiscovery = ReturnType<typeof createOpenApiDiscovery>;
