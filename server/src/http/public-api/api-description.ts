import { Empty } from '@roster/contracts/endpoint';
import { type ApiEndpoint, ApiErrorBody } from '@roster/contracts/public-api/endpoint';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Json, parameters, requestBody, schemaOf } from '#server/http/app-router/api-description';

const beta = {
  name: 'OpenAI-Beta',
  in: 'header',
  required: true,
  schema: { type: 'string', const: 'assistants=v2' },
};

/** Names the rest of a path `id`, as the documents do. */
const named = (parameter: Json) => (parameter.name === '*' ? { ...parameter, name: 'id' } : parameter);

function operation(endpoint: ApiEndpoint): Json {
  const { body, isBeta, method, output, params, path, query, right, summary } = endpoint;
  const takesBody = method !== 'GET' && body !== Empty;
  // Events, bytes, or the provider's response.
  const content =
    output instanceof z.ZodUnknown ? { '*/*': {} } : { 'application/json': { schema: schemaOf(output, 'output') } };
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string = '') => next.toUpperCase())}${path.endsWith('*') ? 'Id' : ''}`,
    tags: [path.split('/')[2] ?? 'other'],
    summary,
    security: [{ accessToken: [] }],
    'x-right': typeof right === 'string' ? [right] : right,
    parameters: [...parameters(params, 'path').map(named), ...parameters(query, 'query'), ...(isBeta ? [beta] : [])],
    ...(takesBody && { requestBody: requestBody(endpoint) }),
    responses: {
      200: { description: 'Done', content },
      default: {
        description: 'Refused or failed',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

function publicApiDescription(endpoints: ApiEndpoint[]): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace('*', '{id}').replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Roster for programs',
      version: '1',
      description:
        'The part of the OpenAI API that Roster serves, with an access token. docs/user/api.md describes the differences.',
    },
    paths,
    components: {
      schemas: { Error: schemaOf(ApiErrorBody, 'output') },
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer' } },
    },
  };
}

/** Serves `/v1/openapi.json` publicly, generated at the first request; it contains no user data. */
export function describePublicApi(app: FastifyInstance, endpoints: ApiEndpoint[]) {
  let description: Json | undefined;
  app.get('/v1/openapi.json', { config: { access: 'operation' } }, async () => {
    description ??= publicApiDescription(endpoints);
    return description;
  });
}
