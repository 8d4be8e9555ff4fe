import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isObject, type JsonObject } from '../http/fields.ts';
import { newId } from '../state/identifiers.ts';
import { fireworks, groq, openRouter, together, xai } from './hosted.ts';
import { llamaCpp, lmStudio, oldProxy, ollama, vllm } from './local.ts';
import type { ErrorKind, FunctionCall, Persona, Refusal, Reply } from './persona.ts';
import { anthropic, azure, deepSeek, gemini, mistral, perplexity } from './strict.ts';

export const personas: readonly Persona[] = [
  ...[ollama, lmStudio, llamaCpp, vllm, openRouter, groq, gemini, deepSeek],
  ...[mistral, xai, together, fireworks, azure, anthropic, perplexity, oldProxy],
];

/** Keys with this ending are wrong, whatever the persona. */
export const wrongKeyEnding = '-wrong';

/** An image of one pixel, as sent by models that draw. */
const drawnPicture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The model's reasoning about a question. */
export const thoughtAbout = (question: string) => `The person asks about “${question}”. I answer in one sentence.`;
/** The model's final answer. */
const answerTo = (question: string, outputs: readonly string[] = []) =>
  outputs.length > 0
    ? `The functions said: ${outputs.join(' ')}`
    : `You asked about “${question}”, and here is the answer.`;

const errorWords: readonly [string, ErrorKind][] = [
  ['[[credit]]', 'no credit'],
  ['[[long]]', 'too long'],
];
const withoutWords = (text: string) => text.replaceAll(/\[\[[^\]]*\]\]/g, '').trim();

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join(' ');
}

function functionsOf({ tools }: JsonObject): string[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool) =>
    isObject(tool) && isObject(tool.function) && typeof tool.function.name === 'string' ? [tool.function.name] : [],
  );
}

function replyTo(request: JsonObject, words: string): Reply {
  const messages = Array.isArray(request.messages) ? request.messages.filter(isObject) : [];
  const questionAt = messages.findLastIndex(({ role }) => role === 'user');
  const outputs = messages
    .slice(questionAt + 1)
    .flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : []));
  const question = withoutWords(words);
  const [name] = functionsOf(request);
  const calls: FunctionCall[] =
    words.includes('[[call]]') && name !== undefined && outputs.length === 0
      ? [{ id: `call_${newId('').slice(0, 20)}`, name, arguments: '{"city":"Zürich","id":9007199254740993}' }]
      : [];
  const text = calls.length > 0 ? '' : answerTo(question, outputs);
  const { stream_options: options } = request;
  return {
    id: newId('chatcmpl-'),
    created: Math.floor(Date.now() / 1000),
    model: String(request.model),
    thought: words.includes('[[think]]') ? thoughtAbout(question) : '',
    text,
    calls,
    picture: words.includes('[[picture]]') ? drawnPicture : null,
    usage: { input: 120, output: 40, reasoning: 0, cached: 20 },
    asksForUsage: isObject(options) && options.include_usage === true,
    isInterrupted: words.includes('[[break]]'),
  };
}

function sendRefusal(response: ServerResponse, { status, body }: Refusal) {
  const isText = typeof body === 'string';
  const type = isText ? (body.startsWith('<') ? 'text/html' : 'text/plain') : 'application/json';
  response.writeHead(status, { 'content-type': type });
  response.end(isText ? body : JSON.stringify(body));
}

/** Title requests are answered in two words, whatever the question contains. */
const asksForTitle = (request: JsonObject) =>
  JSON.stringify(request.messages).includes('Give this conversation a title');

async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  // A form is none of its business: what it is for is not served.
  const value: unknown = JSON.parse(/^\s*\{/.test(text) ? text : '{}');
  return isObject(value) ? value : {};
}

function hasGoodKey({ keyHeaders }: Persona, request: IncomingMessage) {
  const keys = keyHeaders.map((name) => String(request.headers[name] ?? '').replace(/^Bearer /, ''));
  return keyHeaders.length === 0 || keys.some((key) => key !== '' && !key.endsWith(wrongKeyEnding));
}

/** Answers one request as the persona does. */
async function answer(persona: Persona, request: IncomingMessage, response: ServerResponse) {
  const [path = ''] = (request.url ?? '').split('?');
  const body = await bodyOf(request);
  const call = `${request.method} ${path}`;
  if (!hasGoodKey(persona, request)) return sendRefusal(response, persona.error('wrong key', ''));
  if (call === `GET ${persona.path}/models` && persona.models !== null)
    return sendRefusal(response, { status: 200, body: persona.models });
  if (call !== `POST ${persona.path}/chat/completions`)
    return sendRefusal(response, persona.error('unknown path', call));
  const refusal = persona.check?.(body);
  if (refusal) return sendRefusal(response, refusal);
  if (body.model !== persona.model) return sendRefusal(response, persona.error('unknown model', String(body.model)));
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
  const text = textOf(messages.findLast(({ role }) => role === 'user')?.content);
  // Unanswered questions are joined with the next one.
  const words = asksForTitle(body) ? 'A title' : (text.split(/\n\s*/).at(-1) ?? '');
  const error = errorWords.find(([word]) => words.includes(word));
  if (error) return sendRefusal(response, persona.error(error[1], ''));
  const reply = replyTo(body, words);
  if (body.stream !== true || !persona.stream)
    return sendRefusal(response, { status: 200, body: persona.whole(reply) });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const frame of persona.stream(reply)) response.write(frame);
  response.end();
}

/** Starts a provider with this persona. `url` is its base URL. */
export async function startPersona(persona: Persona, { port = 0, host = '127.0.0.1' } = {}) {
  const server = createServer((request, response) => {
    answer(persona, request, response).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host}:${listening}${persona.path}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
