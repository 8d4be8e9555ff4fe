import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '#server/testing/app';
import { bareRequest } from '#server/testing/test-environment';

let app: TestApp;
beforeAll(async () => {
  app = await startApp('sqlite');
});
afterAll(() => app.stop());

test('serves the public API’s description publicly as OpenAPI 3.1 with every call', async () => {
  const { status, body } = await bareRequest(app, 'GET', '/v1/openapi.json');
  expect([status, body.openapi]).toEqual([200, '3.1.0']);
  const paths: Record<
    string,
    Record<string, { operationId: string; parameters: { name: string; in: string }[] }>
  > = body.paths;
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = app.apiEndpoints.map(
    ({ method, path }) => `${method} ${path.replace('*', '{id}').replace(/:(\w+)/g, '{$1}')}`,
  );
  expect(described.toSorted()).toEqual(served.toSorted());
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  );
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const { path, parameters } of operations) {
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
    expect(inPath).toEqual(path.match(/\{\w+\}/g) ?? []);
  }
  expect(body.paths['/v1/files'].post.requestBody.content['multipart/form-data'].schema.required).toEqual([
    'purpose',
    'file',
  ]);
  // A client written for another installation gains no other access.
  expect((await bareRequest(app, 'POST', '/v1/openapi.json', {}, '')).status).toBe(404);
});
