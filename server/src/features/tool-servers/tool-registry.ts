import { chosenToolLimit } from '@roster/contracts/tool-servers/tool-choice';
import type { Kysely } from 'kysely';
import type { ToolTimeouts } from '#server/conversation/tool-timeouts';
import { type OfferedTool, ToolError, type ToolRegistry, type ToolResult } from '#server/conversation/tools';
import type { Database } from '#server/db/schema';
import type { ServerConnection } from './connection.ts';
import { resultText } from './mcp/result.ts';
import { callOperation } from './openapi/call.ts';
import type { OpenApiClient } from './openapi/client.ts';
import { ToolServerError } from './shared/failure.ts';
import type { ServerSecrets } from './shared/headers.ts';
import { type ModelSchema, toModelSchema, toServerArguments } from './shared/model-schema.ts';
import { OmittedOperationError } from './shared/references.ts';
import { toolSelectionRepository } from './shared/tool-selection-repository.ts';
import { toolAliases } from './tool-aliases.ts';

/** An answer with its images, which are mentioned but not stored. */
const bodyLimit = 8 * 1024 * 1024;

type Dependencies = {
  db: Kysely<Database>;
  headers: ServerSecrets;
  reach: ServerConnection;
  openApi: OpenApiClient;
  times: ToolTimeouts;
};

type ToolSchemas = { input_schema: string; model_schema: string | null };

/** As converted when the tool was found. Returns null if an earlier version found it and it cannot be converted. */
function schemaFor({ input_schema, model_schema }: ToolSchemas): ModelSchema | null {
  if (model_schema !== null) return JSON.parse(model_schema);
  try {
    return toModelSchema(JSON.parse(input_schema));
  } catch (error) {
    if (error instanceof OmittedOperationError) return null;
    throw error;
  }
}

type ChosenRow = Awaited<ReturnType<ReturnType<typeof toolSelectionRepository>['offered']>>[number];

/** Tools as a model sees them. One that has changed since it was chosen always asks. */
function toOffered(chosen: readonly ChosenRow[]): OfferedTool[] {
  const rows = chosen.flatMap((row) => {
    const schema = schemaFor(row)?.schema;
    return schema ? [{ ...row, schema }] : [];
  });
  const named = rows.map(({ server_id, server_name, name }) => ({
    serverId: server_id,
    serverName: server_name,
    tool: name,
  }));
  const names = toolAliases(named);
  return rows.map((row, at) => ({
    name: names[at] ?? row.name,
    serverId: row.server_id,
    serverName: row.server_name,
    tool: row.name,
    title: row.title,
    description: row.description,
    inputSchema: row.schema,
    approval: row.digest === row.chosen_digest ? row.approval : 'always',
    digest: row.digest,
    mayRepeat: row.may_repeat === 1,
  }));
}

/** Tool servers, as needed by runs. */
export function createToolRegistry({ db, headers, reach, openApi, times }: Dependencies): ToolRegistry {
  const choices = toolSelectionRepository(db);
  return {
    offered: async (userId, assistantId) => toOffered(await choices.offered(userId, assistantId, chosenToolLimit)),
    offeredOf: async (userId, chosen) =>
      chosen.length === 0 ? [] : toOffered(await choices.offeredOf(userId, chosen)),

    async call(userId, { serverId, tool, digest }, input, signal): Promise<ToolResult> {
      const server = await choices.callable(userId, serverId, tool);
      if (!server) throw new ToolError('This tool no longer exists, or its server is off.', { mayHaveRun: false });
      if (server.digest !== digest)
        throw new ToolError('This tool has changed since it was offered, so it was not called.', {
          mayHaveRun: false,
        });
      try {
        const bounds = { withinMs: times.callMs, bodyLimit, signal };
        const schema = schemaFor(server);
        const given = schema ? toServerArguments(input, schema) : input;
        if (server.kind === 'openapi') {
          const credentials = headers.open(server, server.wrapped);
          return await callOperation(openApi, { ...server, credentials }, given, bounds);
        }
        return await reach.inSession(server, userId, bounds, async (ask, secrets) =>
          resultText(await ask('tools/call', { name: tool, arguments: given }), secrets),
        );
      } catch (error) {
        if (!(error instanceof ToolServerError)) throw error;
        throw new ToolError(error.message, { mayHaveRun: error.mayHaveRun, cause: error });
      }
    },
  };
}
