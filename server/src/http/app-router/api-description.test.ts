import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '#server/testing/app';
import { bareRequest } from '#server/testing/test-environment';

let app: TestApp;
beforeAll(async () => {
  app = await startApp('sqlite');
});
afterAll(() => app.stop());

type Operation = {
  operationId: string;
  summary: string;
  security: object[];
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
};

const operations = async (): Promise<[path: string, method: string, operation: Operation][]> => {
  const { body } = await bareRequest(app, 'GET', '/api/openapi.json');
  const paths: Record<string, Record<string, Operation>> = body.paths;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [path, method, operation] as [string, string, Operation]),
  );
};

test('serves the description publicly as OpenAPI 3.1', async () => {
  const { status, body, headers } = await bareRequest(app, 'GET', '/api/openapi.json');
  expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'Roster', version: expect.any(String) } });
  expect(Object.keys(body.components.securitySchemes)).toEqual(['session']);
});

test('describes every call and nothing else', async () => {
  const described = (await operations()).map(([path, method]) => `${method.toUpperCase()} ${path}`);
  const served = app.endpoints.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  expect(described.toSorted()).toEqual(served.toSorted());
});

test('gives every operation a unique name, a summary, a success and a default error response', async () => {
  const all = await operations();
  const names = all.map(([, , { operationId }]) => operationId);
  expect(new Set(names).size).toBe(names.length);
  for (const [path, , { operationId, responses, summary }] of all) {
    expect(operationId, path).toMatch(/^[a-z][A-Za-z0-9]+$/);
    expect(summary, path).toMatch(/\.$/);
    expect(Object.keys(responses), path).toEqual([expect.stringMatching(/^20[0124]$/), 'default']);
    expect(responses.default?.content?.['application/json']?.schema, path).toEqual({
      $ref: '#/components/schemas/Error',
    });
  }
});

test('describes every part of a path as a parameter', async () => {
  for (const [path, , { parameters }] of await operations()) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(named);
  }
});

test('rejects unknown fields in described bodies', async () => {
  for (const [path, method, { requestBody }] of await operations()) {
    const schema = Object.values(requestBody?.content ?? {})[0]?.schema;
    if (schema && 'properties' in schema)
      expect(schema, `${method} ${path}`).toMatchObject({ additionalProperties: false });
  }
});

test('describes an upload as a form with a file', async () => {
  const upload = (await operations()).find(([path]) => path === '/api/files/upload')?.[2];
  expect(upload?.requestBody?.content['multipart/form-data']?.schema).toMatchObject({
    properties: { purpose: { enum: ['assistants', 'user_data', 'fine-tune'] }, file: { type: 'string' } },
    required: ['purpose', 'file'],
    additionalProperties: false,
  });
});

test('lists every call on the page for people, without scripts', async () => {
  const { status, text, headers } = await bareRequest(app, 'GET', '/api/docs');
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  for (const { method, path } of app.endpoints) expect(text).toContain(`<code>${method} ${path}</code>`);
  expect(text).not.toMatch(/<script|<style|style=/);
});
