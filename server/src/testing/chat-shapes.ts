export const frame = (value: unknown) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
export const done = '[DONE]';
/** One event with one choice. */
export const choice = (delta: unknown, finish_reason: unknown = null, more: object = {}) => ({
  choices: [{ index: 0, delta, finish_reason, ...more }],
});
export const say = (content: unknown, finish: unknown = null) => choice({ content }, finish);
export const stop = choice({}, 'stop');
export const callsOf = (tool_calls: unknown) => choice({ tool_calls });
export const called = (name: string, given: unknown, more: object = {}) => ({
  type: 'function',
  function: { name, arguments: given },
  ...more,
});

export type ExpectedShape = {
  text?: string;
  reasoning?: string;
  refusal?: string;
  images?: string[];
  links?: [string, string][];
  /** Name and arguments. */
  calls?: [string, string][];
  reason?: string;
  /** Words of the failure; omitted: the answer is complete. */
  failure?: RegExp;
};
type Row = [shape: string, events: unknown[], expected: ExpectedShape];

const text: Row[] = [
  ['content as a text', [say('Hello'), say(' you'), stop, done], { text: 'Hello you' }],
  [
    'content as a list of parts',
    [
      say([
        { type: 'text', text: 'One' },
        { type: 'text', text: ' two' },
      ]),
      stop,
      done,
    ],
    { text: 'One two' },
  ],
  ['content as one part', [say({ type: 'text', text: 'One' }), stop, done], { text: 'One' }],
  [
    'a part of a type that nobody knows',
    [say([{ type: 'poem', text: 'Roses' }, { type: 'void' }]), stop, done],
    { text: 'Roses' },
  ],
  ['texts in a list', [say(['a', 'b']), stop, done], { text: 'ab' }],
  ['content null, and a role', [choice({ role: 'assistant', content: null }), say('Yes'), stop, done], { text: 'Yes' }],
  [
    'odd fields beside the content',
    [
      choice({ content: 'Yes', refusal: 7, tool_calls: 'none', reasoning_content: 12, audio: [] }, null, {
        logprobs: 'no',
        index: 0,
      }),
      stop,
      done,
    ],
    { text: 'Yes' },
  ],
  [
    'fields that nobody knows',
    [{ ...say('Yes'), timings: { n: 1 }, prompt_filter_results: [] }, stop, done],
    { text: 'Yes' },
  ],
  [
    'a first event without choices',
    [{ choices: [], prompt_filter_results: [{}] }, say('Yes'), stop, done],
    { text: 'Yes' },
  ],
  [
    'choices without an index',
    [{ choices: [{ delta: { content: 'Yes' } }] }, { choices: [{ finish_reason: 'stop' }] }, done],
    { text: 'Yes' },
  ],
  [
    'another choice beside it',
    [
      {
        choices: [
          { index: 1, delta: { content: 'No' } },
          { index: 1, delta: { content: 'Never' } },
        ],
      },
      { choices: [{ index: 0, delta: { content: 'x' } }] },
      { choices: [{ index: 1, finish_reason: 'stop' }] },
      done,
    ],
    { text: 'No' },
  ],
  ['a refusal', [choice({ refusal: 'I will not.' }), stop, done], { refusal: 'I will not.' }],
  [
    'a message at the end that repeats the text',
    [say('Hello'), { choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] }, done],
    { text: 'Hello' },
  ],
  [
    'a delta and the whole message in each event',
    [
      { choices: [{ delta: { content: 'He' }, message: { content: 'He' } }] },
      { choices: [{ delta: { content: 'y' }, message: { content: 'Hey' }, finish_reason: 'stop' }] },
      done,
    ],
    { text: 'Hey' },
  ],
  [
    'empty data, null, pings and comments',
    ['', 'null', 'ping', '{"type":"ping"}', '{}', '[]', 'true', say('Yes'), '\n: keep-alive\ndata:', stop, done],
    { text: 'Yes' },
  ],
  ['several events in a list', [[say('Yes'), stop], done], { text: 'Yes' }],
];

const reasoning: Row[] = [
  [
    'reasoning_content',
    [choice({ reasoning_content: 'Hm.' }), say('Yes'), stop, done],
    { reasoning: 'Hm.', text: 'Yes' },
  ],
  ['reasoning', [choice({ reasoning: 'Hm.', content: '' }), say('Yes'), stop, done], { reasoning: 'Hm.', text: 'Yes' }],
  [
    'reasoning in two fields',
    [
      choice({
        reasoning: 'Hm.',
        reasoning_content: 'Hm.',
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }],
      }),
      say('Yes'),
      stop,
      done,
    ],
    { reasoning: 'Hm.', text: 'Yes' },
  ],
  [
    'reasoning_details alone',
    [
      choice({
        reasoning_details: [
          { type: 'reasoning.summary', summary: 'Hm.' },
          { type: 'reasoning.encrypted', data: 'x' },
        ],
      }),
      say('Yes'),
      stop,
      done,
    ],
    { reasoning: 'Hm.', text: 'Yes' },
  ],
  [
    'parts of the type thinking',
    [
      say([{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }]),
      say([{ type: 'text', text: 'Yes' }]),
      stop,
      done,
    ],
    { reasoning: 'Hm.', text: 'Yes' },
  ],
  [
    'a thinking text',
    [
      say([
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'Yes' },
      ]),
      stop,
      done,
    ],
    { reasoning: 'Hm.', text: 'Yes' },
  ],
  ['<think> in the text', [say('<think>\nHm.</think>\n\nYes'), stop, done], { reasoning: 'Hm.', text: 'Yes' }],
  [
    'blanks before <think>',
    [say('\n'), say('<thi'), say('nk>Hm.</th'), say('ink>Yes'), stop, done],
    { reasoning: 'Hm.', text: 'Yes' },
  ],
  ['an empty thought', [say('<think>\n\n</think>\n\nYes'), stop, done], { text: 'Yes' }],
  ['a thought without end', [say('<think>Hm'), choice({}, 'length'), done], { reasoning: 'Hm', reason: 'length' }],
  ['<think> in the middle', [say('A <think> is a tag</think>'), stop, done], { text: 'A <think> is a tag</think>' }],
  ['what only begins like a tag', [say('<thi'), stop, done], { text: '<thi' }],
  ['what begins like a tag and breaks off', [say('<thi')], { text: '<thi', failure: /disconnected|was lost/ }],
];

const calls: Row[] = [
  [
    'calls in pieces',
    [
      callsOf([called('f', '', { index: 0, id: 'a' })]),
      callsOf([{ index: 0, function: { arguments: '{"x"' } }]),
      callsOf([{ index: 0, function: { arguments: ':1}' } }]),
      callsOf([called('g', '{}', { index: 1, id: 'b' })]),
      choice({}, 'tool_calls'),
      done,
    ],
    {
      calls: [
        ['f', '{"x":1}'],
        ['g', '{}'],
      ],
    },
  ],
  [
    'calls in one piece without index',
    [callsOf([called('f', '{"x":1}', { id: 'a' }), called('g', '{"y":2}', { id: 'b' })]), stop, done],
    {
      calls: [
        ['f', '{"x":1}'],
        ['g', '{"y":2}'],
      ],
    },
  ],
  [
    'calls without index, one after the other, in pieces',
    [
      callsOf([called('f', '', { id: 'a' })]),
      callsOf([{ function: { arguments: '{"x":1}' } }]),
      callsOf([called('g', '', { id: 'b' })]),
      callsOf([{ function: { arguments: '{"y":2}' } }]),
      stop,
      done,
    ],
    {
      calls: [
        ['f', '{"x":1}'],
        ['g', '{"y":2}'],
      ],
    },
  ],
  [
    'pieces that name their ids alone',
    [
      callsOf([called('f', '', { id: 'a' })]),
      callsOf([called('g', '', { id: 'b' })]),
      callsOf([{ id: 'a', function: { arguments: '{"x":1}' } }]),
      callsOf([{ id: 'b', function: { arguments: '{"y":2}' } }]),
      stop,
      done,
    ],
    {
      calls: [
        ['f', '{"x":1}'],
        ['g', '{"y":2}'],
      ],
    },
  ],
  [
    'calls without index and without ids',
    [callsOf([called('f', '{"x":1}'), called('f', '{"x":2}')]), callsOf([called('f', '{"x":3}')]), stop, done],
    {
      calls: [
        ['f', '{"x":1}'],
        ['f', '{"x":2}'],
        ['f', '{"x":3}'],
      ],
    },
  ],
  [
    'one index for all',
    [
      callsOf([called('f', '{"x":1}', { index: 0, id: 'a' })]),
      callsOf([called('f', '{"x":2}', { index: 0, id: 'b' })]),
      stop,
      done,
    ],
    {
      calls: [
        ['f', '{"x":1}'],
        ['f', '{"x":2}'],
      ],
    },
  ],
  [
    'one index for all, pieces by turns',
    [
      callsOf([called('f', '', { index: 0, id: 'a' }), called('g', '', { index: 0, id: 'b' })]),
      callsOf([
        { index: 0, id: 'a', function: { arguments: '{"x":1}' } },
        { index: 0, id: 'b', function: { arguments: '{"y":2}' } },
      ]),
      stop,
      done,
    ],
    {
      calls: [
        ['f', '{"x":1}'],
        ['g', '{"y":2}'],
      ],
    },
  ],
  [
    'one id for two calls',
    [
      callsOf([called('f', '{"x":1}', { index: 0, id: 'a' }), called('f', '{"x":2}', { index: 1, id: 'a' })]),
      stop,
      done,
    ],
    {
      calls: [
        ['f', '{"x":1}'],
        ['f', '{"x":2}'],
      ],
    },
  ],
  [
    'one id and no index for two calls',
    [callsOf([called('f', '{"x":1}', { id: 'a' })]), callsOf([called('f', '{"x":2}', { id: 'a' })]), stop, done],
    {
      calls: [
        ['f', '{"x":1}'],
        ['f', '{"x":2}'],
      ],
    },
  ],
  [
    'id and name in every piece',
    [
      callsOf([called('f', '{"x":', { index: 0, id: 'a' })]),
      callsOf([called('f', '{"y":', { index: 0, id: 'a' })]),
      callsOf([called('f', '1}}', { index: 0, id: 'a' })]),
      stop,
      done,
    ],
    { calls: [['f', '{"x":{"y":1}}']] },
  ],
  [
    'another id in every piece',
    [
      callsOf([called('f', '{"x":', { index: 0, id: 'a' })]),
      callsOf([{ index: 0, id: 'b', function: { arguments: '1}' } }]),
      stop,
      done,
    ],
    { calls: [['f', '{"x":1}']] },
  ],
  [
    'arguments as an object',
    [callsOf([called('f', { city: 'Utrecht', days: [1, 2] }, { index: 0, id: 'a' })]), stop, done],
    { calls: [['f', '{"city":"Utrecht","days":[1,2]}']] },
  ],
  [
    'an object with numbers beyond 2^53',
    [
      '{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"id":9007199254740993,"rate":1.50}}}]}}]}',
      stop,
      done,
    ],
    { calls: [['f', '{"id":9007199254740993,"rate":1.50}']] },
  ],
  [
    'a text with numbers beyond 2^53',
    [callsOf([called('f', '{"id":9007199254740993}', { index: 0, id: 'a' })]), stop, done],
    { calls: [['f', '{"id":9007199254740993}']] },
  ],
  ['no arguments at all', [callsOf([called('f', null, { index: 0, id: 'a' })]), stop, done], { calls: [['f', '{}']] }],
  [
    'a name after the id',
    [
      callsOf([{ index: 0, id: 'a', function: {} }]),
      callsOf([{ index: 0, function: { name: 'f', arguments: '{}' } }]),
      stop,
      done,
    ],
    { calls: [['f', '{}']] },
  ],
  [
    'no id, an empty one, a long one and one with a blank',
    [
      callsOf([
        called('f', '{}', { index: 0 }),
        called('f', '{}', { index: 1, id: '' }),
        called('f', '{}', { index: 2, id: 'x'.repeat(5_000) }),
        called('f', '{}', { index: 3, id: 'a b' }),
      ]),
      stop,
      done,
    ],
    {
      calls: [
        ['f', '{}'],
        ['f', '{}'],
        ['f', '{}'],
        ['f', '{}'],
      ],
    },
  ],
  [
    'junk among the calls',
    [callsOf([null, 7, {}, { index: 0 }, called('f', '{}', { index: 0, id: 'a' })]), stop, done],
    { calls: [['f', '{}']] },
  ],
  [
    'the old field for one call',
    [
      choice({ function_call: { name: 'f', arguments: '{"x"' } }),
      choice({ function_call: { arguments: ':1}' } }),
      choice({}, 'function_call'),
      done,
    ],
    { calls: [['f', '{"x":1}']] },
  ],
  [
    'words before the calls',
    [say('Let me see.'), callsOf([called('f', '{}', { index: 0, id: 'a' })]), stop, done],
    { text: 'Let me see.', calls: [['f', '{}']] },
  ],
];

const png = 'data:image/png;base64,iVBORw0KGgo=';
const beside: Row[] = [
  [
    'pictures, one of them twice',
    [
      choice({ images: [{ type: 'image_url', image_url: { url: png } }] }),
      choice({ images: [{ type: 'image_url', image_url: { url: png } }] }),
      stop,
      done,
    ],
    { images: [png] },
  ],
  [
    'a picture as a part of the content',
    [
      say([
        { type: 'image_url', image_url: png },
        { type: 'text', text: 'There.' },
      ]),
      stop,
      done,
    ],
    { images: [png], text: 'There.' },
  ],
  [
    'citations in every event, with titles beside them',
    [
      {
        ...say('Rain[1]'),
        citations: ['https://a.example/x', 'https://b.example/'],
        search_results: [{ title: 'B', url: 'https://b.example/' }],
      },
      { ...stop, citations: ['https://a.example/x', 'https://b.example/'] },
      done,
    ],
    {
      text: 'Rain[1]',
      links: [
        ['https://a.example/x', ''],
        ['https://b.example/', 'B'],
      ],
    },
  ],
  [
    'annotations',
    [
      choice({
        content: 'Rain',
        annotations: [
          { type: 'url_citation', url_citation: { url: 'https://a.example/', title: 'A' } },
          { type: 'url_citation', url: 'https://b.example/', title: 'B' },
        ],
      }),
      stop,
      done,
    ],
    {
      text: 'Rain',
      links: [
        ['https://a.example/', 'A'],
        ['https://b.example/', 'B'],
      ],
    },
  ],
  [
    'sources that are no pages',
    [{ ...say('Rain'), citations: ['javascript:alert(1)', 7, null, { url: 'file:///etc' }] }, stop, done],
    { text: 'Rain' },
  ],
];

const ends: Row[] = [
  ...['stop', 'eos', 'STOP', 'end_turn', 'tool_calls'].map(
    (reason): Row => [`the reason ${reason}`, [say('Yes', reason), done], { text: 'Yes', reason: 'complete' }],
  ),
  ...['length', 'max_tokens', 'model_length'].map(
    (reason): Row => [`the reason ${reason}`, [say('Yes', reason), done], { text: 'Yes', reason: 'length' }],
  ),
  ...['content_filter', 'SAFETY', 'sensitive'].map(
    (reason): Row => [`the reason ${reason}`, [say('Yes', reason), done], { text: 'Yes', reason: 'content_filter' }],
  ),
  ...['error', 'insufficient_system_resource', 'abort', 'network_error'].map(
    (reason): Row => [
      `the reason ${reason}`,
      [say('Yes', reason), done],
      { text: 'Yes', failure: new RegExp(`ended the answer early, with “${reason}”`) },
    ],
  ),
  ['a reason that nobody knows', [say('Yes', 'moonrise'), done], { text: 'Yes', reason: 'complete' }],
  ['an end without [DONE] after a reason', [say('Yes'), stop], { text: 'Yes', reason: 'complete' }],
  [
    'usage after the reason, and no [DONE]',
    [say('Yes', 'stop'), { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }],
    { text: 'Yes' },
  ],
  ['an end without a reason', [say('Yes')], { text: 'Yes', failure: /disconnected|was lost/ }],
  ['nothing but [DONE] after some text', [say('Yes'), done], { text: 'Yes', failure: /disconnected|was lost/ }],
  ['nothing but [DONE]', [done], { failure: /disconnected|was lost/ }],
  ['nothing', [], { failure: /disconnected|was lost/ }],
  ['an empty reason, and the end', [say('Yes', '')], { text: 'Yes', failure: /disconnected|was lost/ }],
  ['an empty reason, and [DONE]', [say('Yes', ''), done], { text: 'Yes', failure: /disconnected|was lost/ }],
  ['a reason as the text null', [say('Yes', 'null')], { text: 'Yes', failure: /disconnected|was lost/ }],
  [
    'a reason at the beginning, and more words',
    [say('Yes', 'stop'), say(' and')],
    { text: 'Yes and', failure: /disconnected|was lost/ },
  ],
  ['a reason with each piece', [say('Yes', 'stop'), say(' and', 'stop')], { text: 'Yes and', reason: 'complete' }],
  [
    'calls without a reason',
    [callsOf([called('f', '{}', { index: 0, id: 'a' })]), done],
    { failure: /disconnected|was lost/ },
  ],
  [
    'what is no JSON',
    [say('Yes'), '{"choices":[{"delta":{"content":"brok'],
    { text: 'Yes', failure: /could not be read/ },
  ],
  [
    'a text in place of an event',
    [say('Yes'), '"out of order"', stop, done],
    { text: 'Yes', failure: /could not be read/ },
  ],
];

/** The message of the errors below. */
export const broken = 'The upstream is broken';
const errors: Row[] = [
  ['error as an object', { error: { message: broken, code: 502 } }],
  ['error as a text', { error: broken }],
  ['error with a message that is an object', { error: { message: { detail: broken } } }],
  ['object: error', { object: 'error', message: broken, code: 400 }],
  ['detail', { detail: broken }],
  ['detail as a list', { detail: [{ loc: ['body'], msg: broken }] }],
  ['message alone', { message: broken }],
  ['a list of errors', [{ error: { message: broken, status: 'UNAVAILABLE' } }]],
  [
    'an error in the choice',
    { choices: [{ index: 0, delta: {}, error: { message: broken }, finish_reason: 'error' }] },
  ],
  [
    'an error beside the reason',
    { error: { message: broken }, choices: [{ delta: { content: '' }, finish_reason: 'error' }] },
  ],
].flatMap(([shape, error]): Row[] => [
  [`${shape}, and the end`, [say('Yes'), error], { text: 'Yes', failure: new RegExp(broken) }],
  [`${shape}, and [DONE]`, [say('Yes', 'stop'), error, done], { text: 'Yes', failure: new RegExp(broken) }],
]);

/** Answers as servers of Chat Completions write them, with the expected results. */
export const rows = [...text, ...reasoning, ...calls, ...beside, ...ends, ...errors];
