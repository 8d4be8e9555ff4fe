import OpenAI7 from 'openai';
import OpenAI4 from 'openai-4';
import OpenAI5 from 'openai-5';
import OpenAI6 from 'openai-6';

type Options = { baseURL: string; apiKey: string; maxRetries: number };
type Poll = { pollIntervalMs: number };
type ChatRequest = { model: string; messages: { role: 'user'; content: string }[] };
type Output = { tool_call_id: string; output: string };
type ToolCall = { id: string; function: { name: string; arguments: string } };
type Run = {
  id: string;
  thread_id: string;
  status: string;
  required_action: { submit_tool_outputs: { tool_calls: ToolCall[] } } | null;
};
/** The result of the client's streaming helper. */
export type RunStream = AsyncIterable<{ event: string; data: unknown }> & {
  finalRun(): Promise<Run>;
  finalMessages(): Promise<{ content: unknown[] }[]>;
  finalRunSteps(): Promise<{ type: string; status: string }[]>;
};
type Stream = { finalContent(): Promise<string | null> };

/** The tested parts that are the same in all versions. */
type Shared = {
  models: { list(): PromiseLike<AsyncIterable<{ id: string }>> };
  files: {
    create(body: { file: File; purpose: 'assistants' }): PromiseLike<{ id: string; filename: string; bytes: number }>;
    content(id: string): PromiseLike<{ text(): Promise<string> }>;
  };
  responses: {
    stream(body: { model: string; input: string }): { finalResponse(): Promise<{ id: string; output: unknown[] }> };
  };
  vectorStores: {
    create(body: { name: string }): PromiseLike<{ id: string }>;
    fileBatches: {
      uploadAndPoll(
        storeId: string,
        body: { files: File[] },
        options: Poll,
      ): Promise<{ status: string; file_counts: { completed: number; total: number } }>;
    };
  };
  beta: {
    assistants: {
      create(body: { model: string; tools?: { type: 'function'; function: { name: string } }[] }): PromiseLike<{
        id: string;
      }>;
    };
    threads: {
      create(body: { messages: ChatRequest['messages'] }): PromiseLike<{ id: string }>;
      createAndRunStream(body: { assistant_id: string; thread: { messages: ChatRequest['messages'] } }): RunStream;
      runs: {
        stream(threadId: string, body: { assistant_id: string }): RunStream;
        createAndPoll(threadId: string, body: { assistant_id: string }, options: Poll): Promise<Run>;
      };
    };
  };
};
type Current = Shared & {
  chat: { completions: { stream(body: ChatRequest): Stream } };
  beta: {
    threads: {
      runs: {
        submitToolOutputsStream(runId: string, body: { thread_id: string; tool_outputs: Output[] }): RunStream;
      };
    };
  };
};

/** A version of the official client, with the helpers that moved between versions. */
export type OfficialClient = {
  client: Shared;
  answer: (request: ChatRequest) => Promise<string | null>;
  submitToolOutputs: (run: Run, outputs: Output[]) => RunStream;
};

const current = (client: Current): OfficialClient => ({
  client,
  answer: (request) => client.chat.completions.stream(request).finalContent(),
  submitToolOutputs: ({ id, thread_id }, tool_outputs) =>
    client.beta.threads.runs.submitToolOutputsStream(id, { thread_id, tool_outputs }),
});

function first(options: Options): OfficialClient {
  const client = new OpenAI4(options);
  return {
    client,
    answer: (request) => client.beta.chat.completions.stream(request).finalContent(),
    submitToolOutputs: ({ id, thread_id }, tool_outputs) =>
      client.beta.threads.runs.submitToolOutputsStream(thread_id, id, { tool_outputs }),
  };
}

/** The tested helpers, by their place in a client. */
export const helperPlaces = [
  'beta.chat.completions.stream',
  'beta.threads.createAndRunStream',
  'beta.threads.runs.createAndPoll',
  'beta.threads.runs.stream',
  'beta.threads.runs.submitToolOutputsStream',
  'beta.vectorStores.fileBatches.uploadAndPoll',
  'chat.completions.stream',
  'files.create',
  'responses.stream',
  'vectorStores.fileBatches.uploadAndPoll',
];

/** The versions of the official client, each with the helpers it lacks. */
export const officialClients: [version: string, make: (options: Options) => OfficialClient, lacks: string[]][] = [
  ['4.104.0', first, ['beta.vectorStores.fileBatches.uploadAndPoll', 'chat.completions.stream']],
  [
    '5.23.2',
    (options) => current(new OpenAI5(options)),
    ['beta.chat.completions.stream', 'beta.vectorStores.fileBatches.uploadAndPoll'],
  ],
  [
    '6.49.0',
    (options) => current(new OpenAI6(options)),
    ['beta.chat.completions.stream', 'beta.vectorStores.fileBatches.uploadAndPoll'],
  ],
  [
    '7.57.0',
    (options) => current(new OpenAI7(options)),
    ['beta.chat.completions.stream', 'beta.vectorStores.fileBatches.uploadAndPoll'],
  ],
];
