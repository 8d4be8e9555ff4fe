import type { JsonObject, Metadata } from '../http/fields.ts';

/** An assistant in the form of the retired Assistants API. */
export type AssistantSeed = {
  id: string;
  object: 'assistant';
  created_at: number;
  name: string | null;
  description: string | null;
  model: string;
  instructions: string | null;
  tools: JsonObject[];
  tool_resources: JsonObject;
  metadata: Metadata;
  temperature: number;
  top_p: number;
  response_format: 'auto' | JsonObject;
};

export type AgentSeed = JsonObject & { id: string };

const LONG_INSTRUCTIONS = 20_000;

/** Long instructions exist: people pasted whole handbooks into them. */
function handbook(length: number): string {
  const rules = [
    'Answer in the language of the question, and keep to one language within an answer.',
    'Say what you do not know. A missing number stays missing; it is never estimated silently.',
    'Name the paragraph of the handbook an answer rests on, in brackets at its end.',
    'Use a table when three or more things are compared, and prose otherwise.',
    'Never promise a date, a price or a refund; offer to pass the question on instead.',
    'Keep names, addresses and order numbers out of examples.',
  ];
  let text = 'You are the service desk of Northwind Traders. Follow this handbook to the letter.\n';
  for (let number = 1; text.length < length; number += 1) {
    text += `\n§${number} ${rules[number % rules.length]}`;
  }
  return text.slice(0, length);
}

const COMMON = {
  object: 'assistant',
  tools: [],
  tool_resources: {},
  metadata: {},
  temperature: 1,
  top_p: 1,
  response_format: 'auto',
} as const;

/** The remains of an account of 2024 and 2025, oldest first. */
export const ASSISTANTS: readonly AssistantSeed[] = [
  {
    ...COMMON,
    id: 'asst_8fKq2ZrVn1LxWcTy5uHbGdEo',
    created_at: 1_715_000_000,
    name: 'Math Tutor',
    description: 'Explains step by step and asks back.',
    model: 'gpt-4o',
    instructions:
      'You are a patient math tutor for pupils of 12 to 16 years. Explain step by step, write formulas in LaTeX, and end with one small exercise.',
    tools: [],
    temperature: 0.3,
    metadata: { subject: 'math' },
  },
  {
    ...COMMON,
    id: 'asst_3mTjP0sXqLw9RbVc7yNzKiUa',
    created_at: 1_727_500_000,
    name: 'Contract Reader',
    description: 'Finds and quotes clauses in the uploaded contracts.',
    model: 'gpt-4-turbo',
    instructions: 'Answer questions about the uploaded contracts. Quote the clause you rely on and name its file.',
    tools: [
      { type: 'file_search' },
      { type: 'code_interpreter' },
      {
        type: 'function',
        function: {
          name: 'create_ticket',
          description: 'Opens a ticket with the legal department.',
          parameters: { type: 'object', properties: { subject: { type: 'string' } }, required: ['subject'] },
        },
      },
    ],
    tool_resources: {
      file_search: { vector_store_ids: ['vs_68b1f0c2d4e6485fa1'] },
      code_interpreter: { file_ids: ['file-Qp7Ls2Vn9Xc4Rt1Wb6Ym'] },
    },
    temperature: 0.2,
  },
  {
    ...COMMON,
    id: 'asst_Zc5vBn8mQw2eRt4yUi6oPaSd',
    created_at: 1_738_900_000,
    name: 'Service Desk Handbook',
    description: null,
    model: 'gpt-4.1',
    instructions: handbook(LONG_INSTRUCTIONS),
    tools: [],
  },
  {
    ...COMMON,
    id: 'asst_Hj1kLq3wEr5tYu7iOp9aSdFg',
    created_at: 1_751_200_000,
    name: null,
    description: null,
    model: 'ft:gpt-4.1-mini-2025-04-14:roster::Ab12Cd34',
    instructions: null,
    tools: [],
    temperature: 1.4,
  },
];

export const AGENTS: readonly AgentSeed[] = [
  {
    id: 'agent_5d1c0f7a92b34e68',
    object: 'agent',
    created_at: 1_789_100_000,
    updated_at: 1_790_400_000,
    name: 'Release Notes Writer',
    instructions: 'Turn a list of merged changes into release notes: what is new, what is fixed, what to do.',
    model: 'gpt-6.1-terra',
    tools: [{ type: 'web_search' }],
    reasoning: { effort: 'medium' },
    text: { verbosity: 'medium' },
    service_tier: 'auto',
    metadata: { team: 'platform' },
    multi_agent: { enabled: false, max_concurrent_subagents: null },
  },
  {
    id: 'agent_0be47c3d815f4a29',
    object: 'agent',
    created_at: 1_791_800_000,
    updated_at: 1_791_800_000,
    name: null,
    instructions: 'Review pull requests for missing tests.',
    model: 'gpt-6-astra',
    tools: [],
    reasoning: { effort: 'high' },
    text: { verbosity: 'low' },
    service_tier: 'default',
    metadata: {},
    multi_agent: { enabled: false, max_concurrent_subagents: null },
  },
];
