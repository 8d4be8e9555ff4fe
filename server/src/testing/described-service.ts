import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from './tool-peer.ts';

type Given = Record<string, unknown>;
type ReceivedRequest = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
type Answer = (seen: ReceivedRequest, response: ServerResponse) => unknown;

const jsonBody = (schema: Given) => ({ content: { 'application/json': { schema } } });
const answers = { responses: { '200': { description: 'Done' } } };

/** A notes service, described like a real one. */
export const notesDescription = (url: string): Given => ({
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1.0.0' },
  servers: [{ url: `${url}/{version}`, variables: { version: { default: 'v1', enum: ['v1', 'v2'] } } }],
  paths: {
    '/notes': {
      get: {
        operationId: 'listNotes',
        summary: 'List notes',
        description: 'The newest first.',
        parameters: [
          { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'ids', in: 'query', explode: false, schema: { type: 'array', items: { type: 'integer' } } },
          { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
          { $ref: '#/components/parameters/Limit' },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          { name: 'Cookie', in: 'header', schema: { type: 'string' } },
          { name: 'X-Key', in: 'header', schema: { type: 'string' } },
        ],
        ...answers,
      },
      post: {
        operationId: 'writeNote',
        summary: 'Write a note',
        requestBody: { required: true, ...jsonBody({ $ref: '#/components/schemas/Note' }) },
        ...answers,
      },
    },
    '/notes/{noteId}': {
      parameters: [{ name: 'noteId', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'readNote', summary: 'Read a note', ...answers },
      delete: { operationId: 'deleteNote', summary: 'Delete a note', ...answers },
      put: { requestBody: { content: { 'multipart/form-data': { schema: { type: 'object' } } } }, ...answers },
      trace: { ...answers },
    },
    '/session': { get: { parameters: [{ name: 'sid', in: 'cookie', required: true }], ...answers } },
  },
  components: {
    parameters: { Limit: { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } } },
    schemas: {
      Note: {
        type: 'object',
        required: ['id', 'text'],
        properties: {
          id: { type: 'integer', readOnly: true },
          text: { type: 'string' },
          due: { type: 'string', format: 'date', nullable: true },
          parent: { $ref: '#/components/schemas/Note' },
        },
      },
    },
  },
});

const usual: Answer = ({ method, url }, response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ done: `${method} ${url}` }));

/**
 * A small HTTP service with an OpenAPI description at /openapi.json. `answer` and `description` may change while it
 * runs.
 */
export async function startDescribedService() {
  const seen: ReceivedRequest[] = [];
  const http = createServer(async (request, response) => {
    response.on('error', () => undefined);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
    if (url === '/openapi.json') return service.describe(one, response);
    seen.push(one);
    service.answer(one, response);
  });
  const url = `http://127.0.0.1:${await listening(http)}`;
  const service = {
    url,
    descriptionUrl: `${url}/openapi.json`,
    description: notesDescription(url),
    describe: ((_seen, response) => response.end(JSON.stringify(service.description))) as Answer,
    answer: usual,
    /** Calls of operations. */
    seen,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return service;
}

export type DescribedService = Awaited<ReturnType<typeof startDescribedService>>;
