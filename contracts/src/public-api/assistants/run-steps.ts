import { z } from 'zod';

const seconds = z.number().int();

const FunctionCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string(), output: z.string().nullable() }),
});
const SearchCall = z.object({
  id: z.string(),
  type: z.literal('file_search'),
  file_search: z.object({
    results: z.array(
      z.object({
        file_id: z.string(),
        file_name: z.string(),
        score: z.number(),
        content: z.array(z.object({ type: z.literal('text'), text: z.string() })).optional(),
      }),
    ),
  }),
});
const CodeCall = z.object({
  id: z.string(),
  type: z.literal('code_interpreter'),
  code_interpreter: z.object({
    input: z.string(),
    outputs: z.array(z.object({ type: z.literal('logs'), logs: z.string() })),
  }),
});
export const ApiToolCall = z.discriminatedUnion('type', [FunctionCall, SearchCall, CodeCall]);
export type ApiToolCall = z.output<typeof ApiToolCall>;

/** One step of a run: it wrote a message or called tools. */
export const ApiRunStep = z.object({
  id: z.string(),
  object: z.literal('thread.run.step'),
  created_at: seconds,
  assistant_id: z.string(),
  thread_id: z.string(),
  run_id: z.string(),
  type: z.enum(['message_creation', 'tool_calls']),
  status: z.enum(['in_progress', 'cancelled', 'failed', 'completed', 'expired']),
  step_details: z.discriminatedUnion('type', [
    z.object({ type: z.literal('message_creation'), message_creation: z.object({ message_id: z.string() }) }),
    z.object({ type: z.literal('tool_calls'), tool_calls: z.array(ApiToolCall) }),
  ]),
  last_error: z.object({ code: z.enum(['server_error', 'rate_limit_exceeded']), message: z.string() }).nullable(),
  expired_at: seconds.nullable(),
  cancelled_at: seconds.nullable(),
  failed_at: seconds.nullable(),
  completed_at: seconds.nullable(),
  metadata: z.record(z.string(), z.string()),
  usage: z
    .object({ prompt_tokens: z.number().int(), completion_tokens: z.number().int(), total_tokens: z.number().int() })
    .nullable(),
});
export type ApiRunStep = z.output<typeof ApiRunStep>;
