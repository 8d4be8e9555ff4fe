import { expect, test } from 'vitest';
import type { AnswerRequest } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import { Secret } from '#server/security/secret';
import { unsupportedFunctionIn } from './functions.ts';

const named = (names: string[], canBeSpared: boolean) => names.map((name) => ({ name, canBeSpared }));
const requestWith = (functions: ReturnType<typeof named>): AnswerRequest => ({
  apiKey: new Secret('sk-x'),
  model: 'gpt-4o',
  instructions: '',
  temperature: null,
  effort: null,
  turns: [],
  tools: { functions, codeInterpreter: null, choice: 'auto', isParallel: true },
});
const refusal = (message: string, more: { status?: number; param?: string } = {}) =>
  new ProviderError('bad_request', `The provider refused the request: ${message}`, {
    status: 400,
    providerMessage: message,
    ...more,
  });
const names = ['Notes__read', 'Notes__read_all', 'Notes__write'];

test.each([
  ["Invalid schema for function 'Notes__read_all': In context=(), object schema missing properties", 'Notes__read_all'],
  ["Invalid schema for function 'Notes__read': schema must have a 'type' key", 'Notes__read'],
  ['tools.1.custom.input_schema.properties: Property keys should match pattern', 'Notes__read_all'],
  [
    '* GenerateContentRequest.tools[0].function_declarations[2].parameters.properties[a].items: missing field',
    'Notes__write',
  ],
  ['Invalid type for tools[0].function.parameters', 'Notes__read'],
  ['The maximum context length is 8192 tokens', undefined],
  ["Unknown parameter: 'temperature'", undefined],
])('reads "%s" as a rejection of %s', (message, name) => {
  const request = requestWith(named(names, true));
  expect(unsupportedFunctionIn(refusal(message), request, new Set())?.name).toBe(name);
  // Errors in a client's own functions are reported to the client.
  expect(unsupportedFunctionIn(refusal(message), requestWith(named(names, false)), new Set())).toBeUndefined();
});

test('counts positions among the tools still sent, and finds no function in other failures', () => {
  const request = requestWith(named(names, true));
  const omitted = new Set(['function Notes__read']);
  expect(unsupportedFunctionIn(refusal('bad schema', { param: 'tools[0].parameters' }), request, omitted)?.name).toBe(
    'Notes__read_all',
  );
  expect(
    unsupportedFunctionIn(refusal("schema of 'Notes__read'", { status: 500 }), request, new Set()),
  ).toBeUndefined();
  expect(unsupportedFunctionIn(new Error("schema of 'Notes__read'"), request, new Set())).toBeUndefined();
});
