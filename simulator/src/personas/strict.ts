import { isObject, type JsonObject } from '../http/fields.ts';
import {
  callChunks,
  chunkOf,
  completion,
  data,
  done,
  finishOf,
  modelList,
  type Persona,
  pieces,
  type Refusal,
  type Reply,
  spoken,
  usageOf,
  type Words,
} from './persona.ts';

const messagesOf = ({ messages }: JsonObject) => (Array.isArray(messages) ? messages.filter(isObject) : []);
const unknownIn = (request: JsonObject, fields: readonly string[]) =>
  Object.keys(request).find((field) => !fields.includes(field));

/** True if two consecutive messages have the same role, which servers with a strict chat template reject. */
function breaksAlternation(request: JsonObject) {
  const roles = messagesOf(request)
    .map(({ role }) => role)
    .filter((role) => role !== 'system');
  return roles.some((role, index) => (role === 'user' || role === 'assistant') && role === roles[index - 1]);
}

const geminiFields = [
  ...['model', 'messages', 'stream', 'stream_options', 'temperature', 'top_p', 'max_tokens', 'max_completion_tokens'],
  ...['n', 'stop', 'tools', 'tool_choice', 'response_format', 'reasoning_effort', 'presence_penalty'],
];

export const gemini: Persona = {
  id: 'gemini',
  name: 'Google Gemini',
  path: '/v1beta/openai',
  keyHeaders: ['authorization'],
  model: 'models/gemini-3-flash',
  models: modelList('models/gemini-3-flash', 'models/text-embedding-004'),
  check(request) {
    const unknown = unknownIn(request, geminiFields);
    if (unknown !== undefined)
      return geminiError(400, `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`);
    const isUnsigned = messagesOf(request).some(
      ({ tool_calls: calls }) =>
        Array.isArray(calls) && !calls.some((call) => JSON.stringify(call).includes('thought_signature')),
    );
    return isUnsigned
      ? geminiError(400, 'Function call is missing a thought_signature in functionCall parts.')
      : undefined;
  },
  error(kind, detail) {
    if (kind === 'unknown path')
      return { status: 404, body: '<!DOCTYPE html><html lang=en><title>Error 404 (Not Found)!!1</title></html>' };
    const words: Words = {
      'unknown path': [404, ''],
      'unknown model': [404, `${detail} is not found for API version v1main, or is not supported for generateContent.`],
      'too long': [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
      'no credit': [429, 'You exceeded your current quota, please check your plan and billing details.'],
      'wrong key': [400, 'API key not valid. Please pass a valid API key.'],
      interrupted: [503, 'The model is overloaded. Please try again later.'],
    };
    return geminiError(...words[kind]);
  },
  *stream(reply) {
    for (const piece of spoken(reply)) yield data(chunkOf(reply, { role: 'assistant', content: piece }));
    // Without an index, and signed.
    for (const { id, name, arguments: input } of reply.calls)
      yield data(
        chunkOf(reply, {
          role: 'assistant',
          tool_calls: [
            {
              id,
              type: 'function',
              function: { name, arguments: input },
              extra_content: { google: { thought_signature: 'c2lnbmVk' } },
            },
          ],
        }),
      );
    if (reply.isInterrupted) return yield data(this.error('interrupted', reply.model).body);
    const last = chunkOf(reply, { role: 'assistant' }, reply.calls.length > 0 ? 'tool_calls' : 'stop');
    yield data({ ...last, ...(reply.asksForUsage && { usage: usageOf(reply) }) });
    yield done;
  },
  whole: (reply) => completion(reply),
};

function geminiError(code: number, message: string): Refusal {
  const status = code === 429 ? 'RESOURCE_EXHAUSTED' : code === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT';
  const reason = message.startsWith('API key') && [{ reason: 'API_KEY_INVALID', domain: 'googleapis.com' }];
  return { status: code, body: [{ error: { code, message, status, ...(reason && { details: reason }) } }] };
}

export const deepSeek: Persona = {
  id: 'deepseek',
  name: 'DeepSeek',
  path: '',
  keyHeaders: ['authorization'],
  model: 'deepseek-reasoner',
  models: modelList('deepseek-chat', 'deepseek-reasoner'),
  check(request) {
    const messages = messagesOf(request);
    const questionAt = messages.findLastIndex(({ role }) => role === 'user');
    const unexplained = messages.findIndex(
      ({ tool_calls: calls, reasoning_content: thought }, index) => index > questionAt && calls && !thought,
    );
    if (unexplained === -1) return undefined;
    const message = `Missing \`reasoning_content\` field in the assistant message at message index ${unexplained}.`;
    return { status: 400, body: { error: { message, type: 'invalid_request_error', param: null, code: null } } };
  },
  error(kind, detail) {
    const words: Words = {
      'unknown path': [404, ''],
      'unknown model': [400, `Model Not Exist: ${detail}`],
      'too long': [
        400,
        "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens. Please reduce the length of the messages or completion.",
      ],
      'no credit': [402, 'Insufficient Balance'],
      'wrong key': [401, 'Authentication Fails, Your api key: ****wrong is invalid'],
      interrupted: [503, ''],
    };
    const [status, message] = words[kind];
    if (kind === 'unknown path') return { status, body: '' };
    return { status, body: { error: { message, type: 'unknown_error', param: null, code: 'invalid_request_error' } } };
  },
  *stream(reply) {
    yield ': keep-alive\n\n: keep-alive\n\n';
    yield data(chunkOf(reply, { role: 'assistant', content: null, reasoning_content: '' }));
    // It always reasons before it calls.
    const thought = reply.thought || (reply.calls.length > 0 ? 'I need the function.' : '');
    for (const piece of pieces(thought)) yield data(chunkOf(reply, { content: null, reasoning_content: piece }));
    for (const piece of spoken(reply)) yield data(chunkOf(reply, { content: piece, reasoning_content: null }));
    for (const chunk of callChunks(reply)) yield data(chunk);
    const finish = reply.isInterrupted ? 'insufficient_system_resource' : finishOf(reply);
    const { input, output, cached } = reply.usage;
    const usage = {
      ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      ...{ prompt_cache_hit_tokens: cached, prompt_cache_miss_tokens: input - cached },
    };
    yield data({ ...chunkOf(reply, { content: '', reasoning_content: null }, finish), usage });
    yield done;
  },
  whole: (reply) => completion(reply, { ...(reply.thought && { reasoning_content: reply.thought }) }),
};

const mistralFields = [
  ...['model', 'messages', 'stream', 'temperature', 'top_p', 'max_tokens', 'n', 'stop', 'tools', 'tool_choice'],
  ...['response_format', 'parallel_tool_calls', 'presence_penalty', 'frequency_penalty', 'random_seed', 'safe_prompt'],
];

export const mistral: Persona = {
  id: 'mistral',
  name: 'Mistral',
  path: '/v1',
  keyHeaders: ['authorization'],
  model: 'magistral-medium-latest',
  models: modelList('magistral-medium-latest', 'mistral-embed'),
  check(request) {
    const unknown = unknownIn(request, mistralFields);
    const detail = (loc: unknown[], msg: string) => ({ detail: [{ type: 'extra_forbidden', loc, msg, input: {} }] });
    const refused = (status: number, message: unknown) => ({
      status,
      body: { object: 'error', message, type: 'invalid_request_error', param: null, code: null },
    });
    if (unknown !== undefined) return refused(422, detail(['body', unknown], 'Extra inputs are not permitted'));
    if (breaksAlternation(request))
      return refused(
        400,
        'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
      );
    const ids = messagesOf(request).flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? calls : []));
    const odd = ids.find((call) => !isObject(call) || !/^[a-zA-Z0-9]{9}$/.test(String(call.id)));
    return odd === undefined
      ? undefined
      : refused(400, 'Tool call id was not valid: must be a-z, A-Z, 0-9, with a length of 9.');
  },
  error(kind, detail) {
    if (kind === 'wrong key') return { status: 401, body: { detail: 'Unauthorized' } };
    if (kind === 'unknown path') return { status: 404, body: { detail: 'Not Found' } };
    const words: Words = {
      'unknown path': [404, ''],
      'wrong key': [401, ''],
      'unknown model': [400, `Invalid model: ${detail}`],
      'too long': [400, 'Prompt contains 140000 tokens, too large for model with 131072 maximum context length'],
      'no credit': [402, 'You have run out of credits. Please add more credits to continue.'],
      interrupted: [503, 'Service unavailable.'],
    };
    const [status, message] = words[kind];
    return { status, body: { object: 'error', message, type: 'invalid_request_error', param: null, code: '1000' } };
  },
  *stream(reply) {
    yield data(chunkOf(reply, { role: 'assistant', content: '' }));
    for (const text of pieces(reply.thought))
      yield data(chunkOf(reply, { content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }));
    const isList = reply.thought !== '';
    for (const text of spoken(reply)) yield data(chunkOf(reply, { content: isList ? [{ type: 'text', text }] : text }));
    for (const [index, { id, name, arguments: input }] of reply.calls.entries())
      yield data(chunkOf(reply, { tool_calls: [{ index, id: id.slice(-9), function: { name, arguments: input } }] }));
    if (reply.isInterrupted) return yield data(this.error('interrupted', reply.model).body);
    yield data({ ...chunkOf(reply, { content: '' }, finishOf(reply)), usage: usageOf(reply) });
    yield done;
  },
  whole: (reply) => completion(reply),
};

export const azure: Persona = {
  id: 'azure',
  name: 'Azure OpenAI',
  path: '/openai/v1',
  keyHeaders: ['api-key', 'authorization'],
  model: 'my-gpt-4o',
  models: modelList('my-gpt-4o'),
  error(kind, detail) {
    const words: Words = {
      'unknown path': [404, 'Resource not found'],
      'unknown model': [404, `The API deployment ${detail} for this resource does not exist.`],
      'too long': [
        400,
        "This model's maximum context length is 128000 tokens. Please reduce the length of the messages.",
      ],
      'no credit': [
        429,
        'Requests have exceeded call rate limit of your current pricing tier. Please retry after 86400 seconds.',
      ],
      'wrong key': [401, 'Access denied due to invalid subscription key or wrong API endpoint.'],
      interrupted: [500, 'The server had an error while processing your request.'],
    };
    const [status, message] = words[kind];
    return { status, body: { error: { code: String(status), message } } };
  },
  *stream(reply) {
    const safe = { hate: { filtered: false, severity: 'safe' } };
    yield data({
      ...{ id: '', object: '', created: 0, model: '', choices: [] },
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: safe }],
    });
    yield data(chunkOf(reply, { role: 'assistant', content: '', refusal: null }));
    for (const piece of spoken(reply)) yield data(chunkOf(reply, { content: piece }));
    for (const chunk of callChunks(reply)) yield data(chunk);
    // This provider interrupts an answer with a content filter.
    yield data(chunkOf(reply, {}, reply.isInterrupted ? 'content_filter' : finishOf(reply)));
    if (reply.asksForUsage) yield data({ ...chunkOf(reply, {}), choices: [], usage: usageOf(reply) });
    yield done;
  },
  whole: (reply) => completion(reply),
};

export const anthropic: Persona = {
  id: 'anthropic',
  name: 'Anthropic',
  path: '/v1',
  keyHeaders: ['x-api-key', 'authorization'],
  model: 'claude-sonnet-5',
  models: {
    data: [
      { type: 'model', id: 'claude-sonnet-5', display_name: 'Claude Sonnet 5', created_at: '2026-05-01T00:00:00Z' },
    ],
    has_more: false,
    first_id: 'claude-sonnet-5',
    last_id: 'claude-sonnet-5',
  },
  error(kind, detail) {
    const words: Words = {
      'unknown path': [404, 'Not Found'],
      'unknown model': [404, `model: ${detail}`],
      'too long': [400, 'prompt is too long: 212000 tokens > 200000 maximum'],
      'no credit': [
        400,
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      ],
      'wrong key': [401, 'invalid x-api-key'],
      interrupted: [529, 'Overloaded'],
    };
    const [status, message] = words[kind];
    const type = kind === 'wrong key' ? 'authentication_error' : 'invalid_request_error';
    return { status, body: { type: 'error', error: { type, message } } };
  },
  *stream(reply) {
    yield data(chunkOf(reply, { role: 'assistant', content: '' }));
    for (const piece of spoken(reply)) yield data(chunkOf(reply, { content: piece }));
    for (const chunk of callChunks(reply)) yield data(chunk);
    if (reply.isInterrupted) return yield `event: error\n${data(this.error('interrupted', reply.model).body)}`;
    yield data(chunkOf(reply, {}, finishOf(reply)));
    if (reply.asksForUsage) yield data({ ...chunkOf(reply, {}), choices: [], usage: usageOf(reply) });
    yield done;
  },
  whole: (reply) => completion(reply),
};

const pages = ['https://example.org/first', 'https://example.org/second'];
const sources = {
  citations: pages,
  search_results: pages.map((url, index) => ({ title: `Page ${index + 1}`, url, date: null })),
};

export const perplexity: Persona = {
  id: 'perplexity',
  name: 'Perplexity',
  path: '',
  keyHeaders: ['authorization'],
  model: 'sonar-reasoning',
  models: null,
  check(request) {
    if (!breaksAlternation(request)) return undefined;
    const message =
      'After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).';
    return { status: 400, body: { error: { message, type: 'invalid_message', code: 400 } } };
  },
  error(kind, detail) {
    const words: Words = {
      'unknown path': [404, ''],
      'unknown model': [400, `Invalid model '${detail}'. Permitted models can be found in the documentation.`],
      'too long': [400, 'The prompt exceeds the context length of this model.'],
      'no credit': [401, 'You exceeded your current quota, please check your plan and billing details.'],
      'wrong key': [401, 'Invalid API key provided.'],
      interrupted: [500, 'An unexpected error occurred.'],
    };
    const [code, message] = words[kind];
    if (kind === 'unknown path')
      return { status: code, body: '<html><head><title>404 Not Found</title></head></html>' };
    const type = kind === 'no credit' ? 'insufficient_quota' : 'invalid_request';
    return { status: code, body: { error: { message, type, code } } };
  },
  *stream(reply) {
    const all = [...pieces(reply.thought === '' ? '' : `<think>${reply.thought}</think>`), ...spoken(reply)];
    let soFar = '';
    for (const piece of all) {
      soFar += piece;
      yield data(withMessage(reply, piece, soFar, null));
    }
    if (reply.isInterrupted) return yield data(this.error('interrupted', reply.model).body);
    // Nothing follows: neither a usage chunk nor an end marker.
    yield data(withMessage(reply, '', soFar, 'stop'));
  },
  whole: (reply) => completion(reply, {}, sources),
};

/** Each chunk has the message so far next to the delta, with usage and sources. */
function withMessage(reply: Reply, content: string, soFar: string, finish: string | null): JsonObject {
  const chunk = chunkOf(reply, { role: 'assistant', content }, finish);
  const [choice] = Array.isArray(chunk.choices) ? chunk.choices : [];
  return {
    ...chunk,
    usage: usageOf(reply),
    ...sources,
    choices: [{ ...choice, message: { role: 'assistant', content: soFar } }],
  };
}
