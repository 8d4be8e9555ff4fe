import { createSimulator } from '@roster/simulator/simulator';
import { expect, onTestFinished, test } from 'vitest';
import { createGenerator } from '#server/provider/generate';
import type { AnswerPiece } from '#server/provider/provider';
import { createProviderHttp } from '#server/provider/transport/http';
import { Secret } from '#server/security/secret';
import { goodKey } from '#server/testing/app';
import { completed, event, type RawAnswer, startRawProvider, words } from '#server/testing/raw-provider';

/** Asks an unknown provider for an assistant with web search and code. */
async function asking(baseUrl: string) {
  const http = createProviderHttp(baseUrl);
  onTestFinished(async () => void (await http.close()));
  const learned: string[] = [];
  const traits = {
    has: (_: string, trait: string) => learned.includes(trait),
    learn: async (_: string, trait: string) => void learned.push(trait),
    works: async () => undefined,
  };
  const answer = createGenerator(http, 'OpenAI', traits);
  return async (text: string) => {
    const pieces: AnswerPiece[] = [];
    const request = { apiKey: new Secret(goodKey), model: 'gpt-4o', instructions: '', temperature: null, effort: null };
    const hosted = { webSearch: { domains: ['example.org'], location: { country: 'NL' } }, codeInterpreter: {} };
    const turns = [{ role: 'user' as const, text }];
    const onPieces = (some: AnswerPiece[]) => void pieces.push(...some);
    await answer({ ...request, hosted, turns }, onPieces, new AbortController().signal);
    return {
      calls: pieces.flatMap((piece) => (piece.type === 'tool' ? [piece.call] : [])),
      links: pieces.flatMap((piece) => (piece.type === 'link' ? [[piece.url, piece.title]] : [])),
      notes: pieces.flatMap((piece) => (piece.type === 'note' ? [piece.text] : [])),
      learned,
    };
  };
}

async function askingRaw(answerTo: (path: string) => RawAnswer) {
  const provider = await startRawProvider(answerTo);
  onTestFinished(() => provider.close());
  return asking(provider.url);
}

test('reports a code run while it runs, and its result', async () => {
  const simulator = createSimulator({ tokenDelayMs: 0 });
  const { url } = await simulator.listen();
  onTestFinished(() => simulator.close());
  const { calls } = await (await asking(url))('[[code]] How long?');
  expect(calls.map(({ kind, state }) => [kind, state])).toEqual([
    ['code_interpreter', 'running'],
    ['code_interpreter', 'done'],
  ]);
  expect(calls[1]?.output).toBe(JSON.stringify([{ type: 'logs', logs: '42\n' }]));
});

test('reports a web search with its queries and those sources that are web addresses', async () => {
  const item = { type: 'web_search_call', id: 'ws_1', status: 'in_progress' };
  const sources = [{ type: 'url', url: 'https://example.org/rain', title: 'Rain' }, { url: 'javascript:alert(1)' }, 7];
  const done = { ...item, status: 'completed', action: { type: 'search', queries: ['rain'], sources } };
  const opened = {
    ...item,
    id: 'ws_2',
    status: 'completed',
    action: { type: 'open_page', url: 'https://example.org' },
  };
  const ask = await askingRaw(() => ({
    packets: [
      event('response.output_item.added', { item }),
      event('response.output_item.done', { item: done }),
      event('response.output_item.added', { item: { ...item, id: 'ws_2', action: opened.action } }),
      event('response.output_item.done', { item: opened }),
      event('response.output_item.added', { item: { ...item, id: 'ws_3', action: { type: 'search', query: 'wind' } } }),
      event('response.output_item.done', { item: { ...item, id: 'ws_3', status: 'failed' } }),
      completed(),
    ],
  }));
  const ofSearch = { kind: 'web_search', name: 'web_search', title: '', server: null };
  expect((await ask('Rain?')).calls).toEqual([
    { ...ofSearch, callId: 'ws_1', state: 'running', input: '', output: null },
    {
      ...ofSearch,
      callId: 'ws_1',
      state: 'done',
      input: '["rain"]',
      output: JSON.stringify([{ url: 'https://example.org/rain', title: 'Rain' }]),
    },
    { ...ofSearch, callId: 'ws_2', state: 'running', input: '["https://example.org"]', output: null },
    { ...ofSearch, callId: 'ws_2', state: 'done', input: '["https://example.org"]', output: '[]' },
    { ...ofSearch, callId: 'ws_3', state: 'running', input: '["wind"]', output: null },
    { ...ofSearch, callId: 'ws_3', state: 'failed', input: '[]', output: '[]' },
  ]);
});

test('cites each web page once per place, up to the limit, and only web addresses', async () => {
  const cite = (url: unknown, more: object = {}) => ({ type: 'url_citation', url, ...more });
  const good = cite('https://Example.org/rain\t?a=1', { title: 'Rain\0\nand wind', start_index: 0, end_index: 4 });
  const bad = [
    cite('javascript:alert(1)'),
    cite('https://'),
    cite(7),
    cite(`https://example.org/${'x'.repeat(1_000)}`),
    { type: 'url_citation' },
  ];
  const many = Array.from({ length: 300 }, (_, place) => cite('https://example.org', { start_index: place, title: 7 }));
  const annotationPackets = (annotations: unknown[]) =>
    annotations.map((annotation) => event('response.output_text.annotation.added', { annotation }));
  const item = { type: 'message', content: [{ type: 'output_text', annotations: [good] }] };
  const one = await askingRaw(() => ({
    packets: [...annotationPackets([...bad, good]), event('response.output_item.done', { item }), completed()],
  }));
  expect((await one('Rain?')).links).toEqual([['https://example.org/rain?a=1', 'Rain and wind']]);
  const all = await askingRaw(() => ({ packets: [...annotationPackets(many), completed()] }));
  expect((await all('Rain?')).links).toEqual(Array.from({ length: 200 }, () => ['https://example.org/', '']));
});

test('omits a tool that the model rejects, says so and remembers it; plain chats run none', async () => {
  const message = "Hosted tool 'web_search' is not supported with gpt-4o.";
  let requests = 0;
  const ask = await askingRaw(() =>
    requests++ === 0
      ? { status: 400, packets: [JSON.stringify({ error: { message, param: 'tools', code: null } })] }
      : { packets: [completed()] },
  );
  const note = 'Web search was left out: gpt-4o does not support it.';
  expect(await ask('Rain?')).toEqual({ calls: [], links: [], notes: [note], learned: ['refuses webSearch'] });
  expect((await ask('Rain?')).notes).toEqual([note]);
  expect(requests).toBe(3);

  const chats = await askingRaw((path) =>
    path === '/responses'
      ? { status: 404, packets: ['{}'] }
      : { packets: [words('Rain.', 'stop'), 'data: [DONE]\n\n'] },
  );
  expect((await chats('Rain?')).notes).toEqual(
    expect.arrayContaining([expect.stringMatching(/^Web search was left out: .* does not run tools\.$/)]),
  );
});
