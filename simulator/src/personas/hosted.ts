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
  spoken,
  usageOf,
  type Words,
} from './persona.ts';

export const openRouter: Persona = {
  id: 'openrouter',
  name: 'OpenRouter',
  path: '/api/v1',
  keyHeaders: ['authorization'],
  model: 'deepseek/deepseek-r1:free',
  models: {
    data: ['deepseek/deepseek-r1:free', 'openai/gpt-4o'].map((id) => ({
      id,
      name: id,
      created: 1_760_000_000,
      context_length: 163_840,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Other' },
      pricing: { prompt: '0.0000005', completion: '0.00000218', request: '0' },
      supported_parameters: ['max_tokens', 'reasoning', 'temperature', 'tools'],
    })),
  },
  error(kind, detail) {
    const words: Words = {
      'unknown path': [404, 'Not Found'],
      'unknown model': [400, `${detail} is not a valid model ID`],
      'too long': [
        400,
        'This endpoint\'s maximum context length is 163840 tokens. However, you requested about 170000 tokens (170000 of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
      ],
      'no credit': [402, 'Insufficient credits. Add more using https://openrouter.ai/settings/credits'],
      'wrong key': [401, 'No auth credentials found'],
      interrupted: [502, 'Provider returned error'],
    };
    const [code, message] = words[kind];
    const metadata = { provider_name: 'Chutes', raw: '{"detail":"Exhausted all available targets"}' };
    return { status: code, body: { error: { code, message, ...(kind === 'interrupted' && { metadata }) } } };
  },
  *stream(reply) {
    yield ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n';
    const of = { provider: 'Chutes' };
    for (const piece of pieces(reply.thought)) {
      const reasoning_details = [{ type: 'reasoning.text', text: piece, format: 'unknown', index: 0 }];
      yield data({ ...chunkOf(reply, { role: 'assistant', content: '', reasoning: piece, reasoning_details }), ...of });
    }
    const drawn = reply.picture && {
      images: [{ type: 'image_url', image_url: { url: reply.picture }, index: 0 }],
    };
    for (const piece of spoken(reply)) yield data({ ...chunkOf(reply, { role: 'assistant', content: piece }), ...of });
    if (drawn) yield data({ ...chunkOf(reply, { role: 'assistant', content: '', ...drawn }), ...of });
    for (const chunk of callChunks(reply)) yield data({ ...chunk, ...of });
    if (reply.isInterrupted) {
      const error = { code: 502, message: 'Provider returned error', metadata: { raw: 'upstream overloaded' } };
      return yield data({ ...chunkOf(reply, { content: '' }, 'error'), error });
    }
    yield data({ ...chunkOf(reply, { role: 'assistant', content: '' }, finishOf(reply)), ...of });
    yield data({
      ...chunkOf(reply, { content: '' }),
      ...of,
      usage: { ...usageOf(reply), cost: 0.000_123, is_byok: false },
    });
    yield done;
  },
  whole: (reply) => completion(reply, { ...(reply.thought && { reasoning: reply.thought }) }),
};

export const groq: Persona = {
  id: 'groq',
  name: 'Groq',
  path: '/openai/v1',
  keyHeaders: ['authorization'],
  model: 'openai/gpt-oss-120b',
  models: {
    object: 'list',
    data: ['openai/gpt-oss-120b', 'whisper-large-v3'].map((id) => ({
      ...{ id, object: 'model', created: 1_760_000_000, owned_by: 'OpenAI' },
      ...{ active: true, context_window: 131_072, public_apps: null, max_completion_tokens: 65_536 },
    })),
  },
  error(kind, detail) {
    const words: Words = {
      'unknown path': [404, `Unknown request URL: ${detail}. Please check the URL for typos`],
      'unknown model': [404, `The model \`${detail}\` does not exist or you do not have access to it.`],
      'too long': [400, 'Please reduce the length of the messages or completion.'],
      'no credit': [
        429,
        'Rate limit reached for model in organization on tokens per day (TPD): Limit 200000, Used 199500, Requested 1200.',
      ],
      'wrong key': [401, 'Invalid API Key'],
      interrupted: [500, 'Internal Server Error'],
    };
    const [status, message] = words[kind];
    const code = {
      ...{ 'unknown path': 'unknown_url', 'unknown model': 'model_not_found', 'too long': 'context_length_exceeded' },
      ...{ 'no credit': 'rate_limit_exceeded', 'wrong key': 'invalid_api_key', interrupted: 'internal_server_error' },
    }[kind];
    return { status, body: { error: { message, type: 'invalid_request_error', code } } };
  },
  *stream(reply) {
    yield data({ ...chunkOf(reply, { role: 'assistant', content: '' }), x_groq: { id: 'req_1' } });
    for (const piece of pieces(reply.thought)) yield data(chunkOf(reply, { reasoning: piece, channel: 'analysis' }));
    for (const piece of spoken(reply)) yield data(chunkOf(reply, { content: piece }));
    // Each call comes in one piece.
    for (const [index, { id, name, arguments: input }] of reply.calls.entries())
      yield data(
        chunkOf(reply, { tool_calls: [{ index, id, type: 'function', function: { name, arguments: input } }] }),
      );
    if (reply.isInterrupted) return yield `event: error\n${data(this.error('interrupted', reply.model).body)}`;
    yield data({ ...chunkOf(reply, {}, finishOf(reply)), x_groq: { id: 'req_1', usage: usageOf(reply) } });
    yield done;
  },
  whole: (reply) =>
    completion(reply, { ...(reply.thought && { reasoning: reply.thought }) }, { x_groq: { id: 'req_1' } }),
};

export const xai: Persona = {
  id: 'xai',
  name: 'xAI',
  path: '/v1',
  keyHeaders: ['authorization'],
  model: 'grok-4',
  models: modelList('grok-4', 'grok-imagine'),
  check(request) {
    return 'reasoning_effort' in request
      ? {
          status: 400,
          body: {
            code: 'Client specified an invalid argument',
            error: 'Argument not supported on this model: reasoningEffort',
          },
        }
      : undefined;
  },
  error(kind, detail) {
    const words: Words = {
      'unknown path': [404, ''],
      'unknown model': [404, `The model ${detail} does not exist or your team does not have access to it.`],
      'too long': [400, "This model's maximum prompt length is 256000 but the request contains 300211 tokens."],
      'no credit': [403, 'Your team has either used all available credits or reached its monthly spending limit.'],
      'wrong key': [400, 'Incorrect API key provided: xa***ng. You can obtain an API key from https://console.x.ai.'],
      interrupted: [500, 'Service temporarily unavailable.'],
    };
    const [status, error] = words[kind];
    if (kind === 'unknown path') return { status, body: '' };
    return { status, body: { code: 'Some requested entity was not found', error } };
  },
  *stream(reply) {
    // Each chunk has the usage so far.
    const usage = usageOf(reply);
    let written = 0;
    const counted = () => ({ usage: { ...usage, completion_tokens: ++written, num_sources_used: 0 } });
    for (const piece of pieces(reply.thought))
      yield data({ ...chunkOf(reply, { role: 'assistant', reasoning_content: piece }), ...counted() });
    for (const piece of spoken(reply)) yield data({ ...chunkOf(reply, { content: piece }), ...counted() });
    for (const chunk of callChunks(reply)) yield data(chunk);
    if (reply.isInterrupted) return yield data(this.error('interrupted', reply.model).body);
    yield data({ ...chunkOf(reply, {}, finishOf(reply)), usage });
    yield done;
  },
  whole: (reply) => completion(reply, { ...(reply.thought && { reasoning_content: reply.thought }) }),
};

export const together: Persona = {
  id: 'together',
  name: 'Together',
  path: '/v1',
  keyHeaders: ['authorization'],
  model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
  // A list without an envelope.
  models: [
    {
      id: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
      object: 'model',
      type: 'chat',
      created: 0,
      pricing: { input: 0.88 },
    },
    { id: 'black-forest-labs/FLUX.1-schnell', object: 'model', type: 'image', created: 0 },
  ],
  error(kind, detail) {
    const words: Words = {
      'unknown path': [404, 'Not Found'],
      'unknown model': [
        404,
        `Unable to access model ${detail}. Please visit https://api.together.ai/models to see the list.`,
      ],
      'too long': [
        422,
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 131073. This exceeds the maximum context length.',
      ],
      'no credit': [
        402,
        'Credit limit exceeded, please navigate to https://api.together.ai/settings/billing to upgrade your plan.',
      ],
      'wrong key': [
        401,
        'Invalid API key provided. You can find your API key at https://api.together.ai/settings/api-keys.',
      ],
      interrupted: [503, 'The server is overloaded or not ready yet.'],
    };
    const [status, message] = words[kind];
    return { status, body: { id: 'o1', error: { message, type: 'invalid_request_error', param: null, code: null } } };
  },
  *stream(reply) {
    for (const piece of spoken(reply)) {
      const chunk = chunkOf(reply, { role: 'assistant', content: piece, token_id: 42 });
      yield data({
        ...chunk,
        choices: [{ index: 0, text: piece, logprobs: 0.5, delta: { role: 'assistant', content: piece } }],
      });
    }
    for (const chunk of callChunks(reply)) yield data(chunk);
    if (reply.isInterrupted) return yield data(this.error('interrupted', reply.model).body);
    yield data({
      ...chunkOf(reply, { content: '' }, reply.calls.length > 0 ? 'tool_calls' : 'eos'),
      usage: usageOf(reply),
    });
    yield done;
  },
  whole: (reply) => completion(reply),
};

export const fireworks: Persona = {
  id: 'fireworks',
  name: 'Fireworks',
  path: '/inference/v1',
  keyHeaders: ['authorization'],
  model: 'accounts/fireworks/models/deepseek-v3p1',
  models: modelList('accounts/fireworks/models/deepseek-v3p1'),
  error(kind, detail) {
    const words: Words = {
      'unknown path': [404, 'Path not found'],
      'unknown model': [404, `Model not found, inaccessible, and/or not deployed: ${detail}`],
      'too long': [400, 'The prompt is too long: 170000, model maximum context length: 163839'],
      'no credit': [
        412,
        'Account is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.',
      ],
      'wrong key': [401, 'The API key you provided is invalid.'],
      interrupted: [503, 'Service overloaded'],
    };
    const [status, message] = words[kind];
    return {
      status,
      body: { error: { object: 'error', type: 'invalid_request_error', code: 'invalid_request_error', message } },
    };
  },
  *stream(reply) {
    yield data(chunkOf(reply, { role: 'assistant' }));
    for (const piece of pieces(reply.thought)) yield data(chunkOf(reply, { reasoning_content: piece }));
    for (const piece of spoken(reply)) yield data(chunkOf(reply, { content: piece }));
    for (const chunk of callChunks(reply)) yield data(chunk);
    if (reply.isInterrupted) return yield data(this.error('interrupted', reply.model).body);
    yield data({ ...chunkOf(reply, {}, finishOf(reply)), usage: usageOf(reply) });
    yield done;
  },
  whole: (reply) => completion(reply, { ...(reply.thought && { reasoning_content: reply.thought }) }),
};
