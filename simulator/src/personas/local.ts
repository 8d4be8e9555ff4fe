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
  type Reply,
  spoken,
  usageOf,
  type Words,
} from './persona.ts';

/** Chunks that differ only in the name of the reasoning field. */
function* plainChunks(reply: Reply, reasoningField: string) {
  yield chunkOf(reply, { role: 'assistant', content: '' });
  for (const piece of pieces(reply.thought)) yield chunkOf(reply, { content: '', [reasoningField]: piece });
  for (const piece of spoken(reply)) yield chunkOf(reply, { content: piece });
  yield* callChunks(reply);
}

const usageChunk = (reply: Reply) => ({ ...chunkOf(reply, {}), choices: [], usage: usageOf(reply) });

export const ollama: Persona = {
  id: 'ollama',
  name: 'Ollama',
  path: '/v1',
  keyHeaders: [],
  model: 'qwen3:8b',
  models: modelList('qwen3:8b', 'nomic-embed-text:latest'),
  error(kind, detail) {
    if (kind === 'unknown path') return { status: 404, body: '404 page not found' };
    const words: Words = {
      'unknown path': [404, ''],
      'unknown model': [404, `model "${detail}" not found, try pulling it first`],
      'too long': [400, 'input length exceeds the maximum context length'],
      'no credit': [500, 'model requires more system memory (9.1 GiB) than is available (5.2 GiB)'],
      'wrong key': [401, 'unauthorized'],
      interrupted: [500, 'llama runner process has terminated: exit status 2'],
    };
    const [status, message] = words[kind];
    return { status, body: { error: { message, type: 'api_error', param: null, code: null } } };
  },
  *stream(reply) {
    for (const chunk of plainChunks(reply, 'reasoning')) yield data(chunk);
    if (reply.isInterrupted) return yield data(this.error('interrupted', reply.model).body);
    yield data(chunkOf(reply, {}, finishOf(reply)));
    if (reply.asksForUsage) yield data(usageChunk(reply));
    yield done;
  },
  whole: (reply) => completion(reply, { ...(reply.thought && { reasoning: reply.thought }) }),
};

export const lmStudio: Persona = {
  id: 'lm-studio',
  name: 'LM Studio',
  path: '/v1',
  keyHeaders: [],
  model: 'qwen/qwen3-8b',
  models: modelList('qwen/qwen3-8b', 'text-embedding-nomic-embed-text-v1.5'),
  error(kind, detail) {
    const words: Words = {
      'unknown path': [200, `Unexpected endpoint or method. (${detail})`],
      'unknown model': [400, `Model "${detail}" not found. Load it first.`],
      'too long': [
        400,
        'Trying to keep the first 5210 tokens when context overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
      ],
      'no credit': [400, 'Model loading was stopped due to insufficient system resources.'],
      'wrong key': [401, 'An LM Studio API token is required to make requests to this server.'],
      interrupted: [500, 'The model has crashed without additional information.'],
    };
    const [status, error] = words[kind];
    return { status, body: { error } };
  },
  *stream(reply) {
    const line = (value: unknown) => `data:${JSON.stringify(value)}\r\n\r\n`;
    for (const chunk of plainChunks(reply, 'reasoning_content')) yield line(chunk);
    if (reply.isInterrupted) return yield `event: error\r\n${line(this.error('interrupted', reply.model).body)}`;
    yield line(chunkOf(reply, {}, finishOf(reply)));
    if (reply.asksForUsage) yield line(usageChunk(reply));
    yield 'data:[DONE]\r\n\r\n';
  },
  whole: (reply) => completion(reply, { ...(reply.thought && { reasoning_content: reply.thought }) }, { stats: {} }),
};

export const llamaCpp: Persona = {
  id: 'llama.cpp',
  name: 'llama.cpp',
  path: '/v1',
  keyHeaders: [],
  model: 'gpt-oss-20b-mxfp4.gguf',
  models: {
    models: [{ name: 'gpt-oss-20b-mxfp4.gguf', capabilities: ['completion'] }],
    ...modelList('gpt-oss-20b-mxfp4.gguf'),
  },
  error(kind, detail) {
    const words: Words = {
      'unknown path': [404, 'File Not Found'],
      'unknown model': [404, `model '${detail}' not found`],
      'too long': [400, 'the request exceeds the available context size, try increasing it'],
      'no credit': [503, 'Loading model'],
      'wrong key': [401, 'Invalid API Key'],
      interrupted: [500, 'Failed to parse input at pos 64'],
    };
    const [code, message] = words[kind];
    const type = kind === 'too long' ? 'exceed_context_size_error' : 'server_error';
    return { status: code, body: { error: { code, message, type } } };
  },
  *stream(reply) {
    for (const chunk of plainChunks(reply, 'reasoning_content')) yield data(chunk);
    if (reply.isInterrupted) return yield data(this.error('interrupted', reply.model).body);
    const timings = { prompt_n: reply.usage.input, predicted_n: reply.usage.output, predicted_per_second: 31.4 };
    yield data({ ...chunkOf(reply, {}, finishOf(reply)), timings });
    if (reply.asksForUsage) yield data({ ...usageChunk(reply), timings });
    yield done;
  },
  whole: (reply) => completion(reply, { ...(reply.thought && { reasoning_content: reply.thought }) }, { timings: {} }),
};

/** Without a reasoning parser the reasoning is in the text. */
const tagged = ({ thought }: Reply) => (thought === '' ? '' : `<think>\n${thought}\n</think>\n\n`);

export const vllm: Persona = {
  id: 'vllm',
  name: 'vLLM',
  path: '/v1',
  keyHeaders: [],
  model: '/models/DeepSeek-R1-Distill-Qwen-7B',
  models: modelList('/models/DeepSeek-R1-Distill-Qwen-7B'),
  error(kind, detail) {
    if (kind === 'unknown path') return { status: 404, body: { detail: 'Not Found' } };
    const words: Words = {
      'unknown path': [404, 'Not Found'],
      'unknown model': [404, `The model \`${detail}\` does not exist.`],
      'too long': [
        400,
        "This model's maximum context length is 8192 tokens. However, you requested 9210 tokens in the messages. Please reduce the length of the messages.",
      ],
      'no credit': [500, 'The engine is dead.'],
      'wrong key': [401, 'Unauthorized'],
      interrupted: [500, 'EngineCore encountered an issue. See stack trace for the root cause.'],
    };
    const [code, message] = words[kind];
    return { status: code, body: { object: 'error', message, type: 'BadRequestError', param: null, code } };
  },
  *stream(reply) {
    yield data(chunkOf(reply, { role: 'assistant', content: '' }));
    for (const piece of [...pieces(tagged(reply)), ...spoken(reply)]) yield data(chunkOf(reply, { content: piece }));
    for (const chunk of callChunks(reply)) yield data(chunk);
    if (reply.isInterrupted) {
      yield data(this.error('interrupted', reply.model).body);
      return yield done;
    }
    yield data(chunkOf(reply, {}, finishOf(reply)));
    if (reply.asksForUsage) yield data(usageChunk(reply));
    yield done;
  },
  whole: (reply) => completion(reply, { content: `${tagged(reply)}${reply.text}` }),
};

/** An old server: no streams, no recent options, error pages of its framework. */
export const oldProxy: Persona = {
  id: 'old-proxy',
  name: 'An old proxy',
  path: '/v1',
  keyHeaders: [],
  model: 'gpt-3.5-turbo',
  models: modelList('gpt-3.5-turbo'),
  check(request) {
    const fields = ['model', 'messages', 'stream', 'temperature', 'top_p', 'max_tokens', 'tools', 'tool_choice'];
    const unknown = Object.keys(request).find((field) => !fields.includes(field));
    return unknown === undefined ? undefined : { status: 400, body: { error: `unrecognized field '${unknown}'` } };
  },
  error(kind, detail) {
    if (kind === 'unknown path')
      return { status: 404, body: '<html><head><title>404 Not Found</title></head><body>nginx/1.18.0</body></html>' };
    const words: Words = {
      'unknown path': [404, ''],
      'unknown model': [400, `unknown model ${detail}`],
      'too long': [400, 'maximum context length is 4096 tokens'],
      'no credit': [402, 'billing hard limit reached, out of credit'],
      'wrong key': [401, 'invalid api key'],
      interrupted: [200, 'upstream closed the connection'],
    };
    const [status, error] = words[kind];
    return { status, body: { error } };
  },
  whole(reply) {
    if (reply.isInterrupted) return { error: 'upstream closed the connection' };
    return completion(reply, { ...(reply.thought && { reasoning_content: reply.thought }) }, { usage: {} });
  },
};
