import { Empty, type Endpoint } from '@roster/contracts/endpoint';
import { ErrorBody } from '@roster/contracts/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

export type Json = Record<string, unknown>;

export const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any' });
  return rest;
};

export function parameters(schema: z.ZodType, place: 'path' | 'query'): Json[] {
  const { properties, required } = schemaOf(schema, 'input');
  if (typeof properties !== 'object' || properties === null) return [];
  const names = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || names.includes(name),
    schema: property,
  }));
}

function response({ respondsWith, output, status }: Endpoint): Json {
  if (status === 204) return { description: 'Done' };
  const type = { json: 'application/json', events: 'text/event-stream', bytes: 'application/octet-stream' }[
    respondsWith
  ];
  return {
    description: 'Done',
    content: { [type]: { schema: respondsWith === 'bytes' ? {} : schemaOf(output, 'output') } },
  };
}

export function requestBody({ accepts, body }: Pick<Endpoint, 'accepts' | 'body'>): Json {
  const schema = schemaOf(body, 'input');
  if (accepts === 'json') return { required: true, content: { 'application/json': { schema } } };
  const texts = typeof schema.properties === 'object' ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const form = {
    ...schema,
    properties: { ...texts, file: { type: 'string', contentMediaType: 'application/octet-stream' } },
    required: [...required, 'file'],
  };
  return { required: true, content: { 'multipart/form-data': { schema: form } } };
}

function operation(endpoint: Endpoint): Json {
  const { access, body, method, params, path, query, status, summary } = endpoint;
  const takesBody = method !== 'GET' && body !== Empty;
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string = '') => next.toUpperCase())}`,
    tags: [path.split('/')[2] ?? 'other'],
    summary,
    security: access === 'public' ? [] : [{ session: [] }],
    'x-access': access,
    parameters: [...parameters(params, 'path'), ...parameters(query, 'query')],
    ...(takesBody && { requestBody: requestBody(endpoint) }),
    responses: {
      [status]: response(endpoint),
      default: {
        description: 'Refused or failed; `message` says what to do',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

/** The API description, generated from the schemas that validate requests and serialize responses. */
function apiDescription(endpoints: Endpoint[], cookieName: string): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Roster',
      version: '1',
      description:
        'Requests that change something must come from Roster’s own origin. Errors are `{code, message, fields?, requestId}`.',
    },
    paths,
    components: {
      schemas: { Error: schemaOf(ErrorBody, 'output') },
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: cookieName } },
    },
  };
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

function docsPage(endpoints: Endpoint[]): string {
  const rows = endpoints.map(({ access, body, method, path, query, summary, output, respondsWith, status }) => {
    const part = (title: string, schema: z.ZodType, io: 'input' | 'output') =>
      schema === Empty
        ? ''
        : `<h3>${title}</h3><pre>${escapeHtml(JSON.stringify(schemaOf(schema, io), null, 2))}</pre>`;
    const gives = respondsWith === 'json' && status !== 204 ? part(`Answer ${status}`, output, 'output') : '';
    return `<details><summary><code>${method} ${escapeHtml(path)}</code> ${escapeHtml(summary)} <small>${access}</small></summary>${
      part('Query', query, 'input') + part('Body', body, 'input') + gives
    }</details>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Roster API</title><h1>Roster API</h1><p>For machines: <a href="/api/openapi.json">openapi.json</a></p>${rows.join('\n')}</html>`;
}

/** Serves `/api/openapi.json` for machines and `/api/docs` for people, generated at the first request. */
export function describeApi(app: FastifyInstance, endpoints: Endpoint[], cookieName: string) {
  const config = { access: 'operation' } as const;
  let description: Json | undefined;
  let page: string | undefined;
  app.get('/api/openapi.json', { config }, async () => {
    description ??= apiDescription(endpoints, cookieName);
    return description;
  });
  app.get('/api/docs', { config }, async (_request, reply) => {
    page ??= docsPage(endpoints);
    return reply.type('text/html; charset=utf-8').send(page);
  });
}
