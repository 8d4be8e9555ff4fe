import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, type JsonObject } from '#server/lib/is-object';

/** How the provider behaves: as it should, without answers, or claiming what it cannot do. */
export type Behaviour = 'able' | 'hangs' | 'lies' | 'wrong key' | 'down';

const chunk = (delta: JsonObject, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

function deltasFor(request: JsonObject, isLying: boolean): JsonObject[] {
  const text = JSON.stringify(request.messages ?? []);
  if (isLying) return [{ content: 'Certainly!' }];
  if (Array.isArray(request.tools))
    return [
      {
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
      },
    ];
  if (text.includes('image_url')) return [{ content: 'Red.' }];
  if (request.response_format !== undefined) return [{ content: '{"color":' }, { content: '"red"}' }];
  return [{ reasoning: 'Hm.' }, { content: '1, 2' }, { content: ', 3' }];
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  for await (const piece of request) chunks.push(piece);
  const text = Buffer.concat(chunks).toString();
  if (!text.startsWith('{')) return {};
  const parsed: unknown = JSON.parse(text);
  return isObject(parsed) ? parsed : {};
}

async function stream(response: ServerResponse, deltas: JsonObject[]) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const delta of deltas) {
    response.write(chunk(delta));
    // As separate packets.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  response.end(`${chunk({}, 'tool_calls' in (deltas[0] ?? {}) ? 'tool_calls' : 'stop')}data: [DONE]\n\n`);
}

const resources: Record<string, JsonObject> = {
  '/models': { object: 'list', data: [{ id: 'tiny-embed' }, { id: 'talker' }] },
  '/embeddings': { data: [{ embedding: [0.5] }] },
  '/files': { id: 'file-1', object: 'file' },
  '/files/file-1': { id: 'file-1', deleted: true },
  '/fine_tuning/jobs': { data: [], has_more: false },
};

/** A provider that can do everything that Roster checks, and stops doing so when told. */
export async function startCapableProvider(behaviour: Behaviour = 'able') {
  const seen: { path: string; headers: IncomingMessage['headers'] }[] = [];
  let current = behaviour;
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').replace('/v1', '').split('?')[0] ?? '';
    seen.push({ path, headers: request.headers });
    const body = await bodyOf(request);
    if (current === 'down') return void request.socket.destroy();
    if (current === 'wrong key')
      return void json(response, 401, { error: { message: 'This key is not one of ours.', code: 'invalid_api_key' } });
    if (current === 'hangs' && path !== '/models') return;
    if (path === '/chat/completions') return stream(response, deltasFor(body, current === 'lies'));
    const found = resources[path];
    if (!found) return void json(response, 404, { error: { message: 'Not found' } });
    json(response, 200, current === 'lies' && path === '/embeddings' ? { data: [] } : found);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    become(next: Behaviour) {
      current = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
