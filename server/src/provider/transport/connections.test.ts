import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { AnswerRequest } from '#server/provider/provider';
import { generateWithResponses } from '#server/provider/responses/answer';
import { Secret } from '#server/security/secret';
import { completed, delta } from '#server/testing/raw-provider';
import { createProviderHttp } from './http.ts';

const maxAsked = 10;

/**
 * Asks one question after the other until a connection is reused, up to a limit: the last bytes of an answer may still
 * be in transit when the next question is sent.
 */
async function isUsedAgain(end: (response: ServerResponse) => void): Promise<boolean> {
  let connections = 0;
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(delta('Hello') + completed());
    end(response);
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const http = createProviderHttp(`http://127.0.0.1:${port}`);
  const request: AnswerRequest = {
    apiKey: new Secret('sk-test'),
    model: 'gpt-4o',
    instructions: '',
    turns: [{ role: 'user', text: 'Hello' }],
    temperature: null,
    effort: null,
  };
  let requests = 0;
  while (requests < maxAsked && connections === requests) {
    const end = await generateWithResponses(http, request, new Set(), () => undefined, new AbortController().signal);
    expect(end.reason).toBe('complete');
    requests++;
  }
  await http.close();
  server.closeAllConnections();
  server.close();
  return connections < requests;
}

test('reuses the connection of an answer that has ended', async () => {
  expect(await isUsedAgain((response) => response.end())).toBe(true);
});

test('does not wait for a body that continues after its last event', async () => {
  expect(await isUsedAgain((response) => response.write(': and on'))).toBe(false);
});
