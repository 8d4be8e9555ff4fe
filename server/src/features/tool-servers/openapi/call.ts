import type { ToolResult } from '#server/conversation/tools';
import type { OpenApiClient } from './client.ts';
import { secretPlaceOf } from './discover.ts';
import { Operation } from './operation.ts';

type Server = {
  url: string;
  auth_type: string;
  auth_name: string | null;
  credentials: Record<string, string>;
  operation: string | null;
  input_schema: string;
};

/** Calls a tool’s operation, as it was when it was discovered. @throws ToolServerError */
export function callOperation(
  openApi: OpenApiClient,
  server: Server,
  input: Record<string, unknown>,
  bounds: Parameters<OpenApiClient['call']>[2],
): Promise<ToolResult> {
  const place = secretPlaceOf({ type: server.auth_type, name: server.auth_name });
  const value = place && server.credentials[place.name];
  return openApi.call(
    {
      url: server.url,
      secret: place && value ? { ...place, value } : null,
      operation: Operation.parse(JSON.parse(server.operation ?? 'null')),
      inputSchema: JSON.parse(server.input_schema),
    },
    input,
    { withinMs: bounds.withinMs, signal: bounds.signal },
  );
}
