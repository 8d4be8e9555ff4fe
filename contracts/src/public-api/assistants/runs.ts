import { z } from 'zod';
import { importedInstructionsLimit } from '../../assistants/assistants.ts';
import { ModelText } from '../../model-text.ts';
import { ReasoningEffort } from '../../models/models.ts';
import { textUpTo } from '../../text/text.ts';
import { apiEndpoint } from '../endpoint.ts';
import { ApiId, apiList, apiPage } from '../list.ts';
import { Metadata } from '../metadata.ts';
import { ApiAssistant } from './assistants.ts';
import { NewApiMessage } from './messages.ts';
import { ApiRunStep } from './run-steps.ts';
import { NewApiThread, newThreadMessageLimit } from './threads.ts';
import { ApiTool, ApiTools, ResponseFormat, ToolResources } from './tools.ts';

const instructions = (field: string) =>
  textUpTo(importedInstructionsLimit, `${field} cannot exceed ${importedInstructionsLimit} characters`).nullish();
const tokens = z.number().int().min(256).max(2_147_483_647).nullish();

export const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string().min(1).max(64) }) }),
  z.strictObject({ type: z.enum(['file_search', 'code_interpreter']) }),
]);
export type ToolChoice = z.output<typeof ToolChoice>;

export const TruncationStrategy = z
  .strictObject({
    type: z.enum(['auto', 'last_messages']),
    last_messages: z.number().int().min(1).max(2_147_483_647).nullish(),
  })
  .refine(({ type, last_messages: last }) => type !== 'last_messages' || typeof last === 'number', {
    message: 'last_messages says how many.',
    path: ['last_messages'],
  });

/** Settings for one run; what is left out follows the assistant. */
const overrides = {
  assistant_id: ApiId,
  model: ModelText.nullish(),
  instructions: instructions('Instructions'),
  tools: ApiTools.nullish(),
  metadata: Metadata.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_prompt_tokens: tokens,
  max_completion_tokens: tokens,
  truncation_strategy: TruncationStrategy.nullish(),
  tool_choice: ToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: ResponseFormat.nullish(),
  stream: z.boolean().nullish(),
};

export const NewApiRun = z.strictObject({
  ...overrides,
  additional_instructions: instructions('Additional instructions'),
  additional_messages: z.array(NewApiMessage).max(newThreadMessageLimit).nullish(),
  reasoning_effort: ReasoningEffort.nullish(),
});
export type NewApiRun = z.output<typeof NewApiRun>;

export const NewApiThreadAndRun = z.strictObject({
  ...overrides,
  thread: NewApiThread.nullish(),
  tool_resources: ToolResources.nullish(),
});
export type NewApiThreadAndRun = z.output<typeof NewApiThreadAndRun>;

export const ApiRunStatus = z.enum([
  'queued',
  'in_progress',
  'requires_action',
  'cancelling',
  'cancelled',
  'failed',
  'completed',
  'incomplete',
  'expired',
]);
export type ApiRunStatus = z.output<typeof ApiRunStatus>;

const seconds = z.number().int();
const FunctionCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

export const ApiRun = z.object({
  id: z.string(),
  object: z.literal('thread.run'),
  created_at: seconds,
  thread_id: z.string(),
  assistant_id: z.string(),
  status: ApiRunStatus,
  required_action: z
    .object({
      type: z.literal('submit_tool_outputs'),
      submit_tool_outputs: z.object({ tool_calls: z.array(FunctionCall) }),
    })
    .nullable(),
  last_error: z
    .object({ code: z.enum(['server_error', 'rate_limit_exceeded', 'invalid_prompt']), message: z.string() })
    .nullable(),
  expires_at: seconds.nullable(),
  started_at: seconds.nullable(),
  cancelled_at: seconds.nullable(),
  failed_at: seconds.nullable(),
  completed_at: seconds.nullable(),
  incomplete_details: z
    .object({ reason: z.enum(['max_completion_tokens', 'max_prompt_tokens']).optional() })
    .nullable(),
  model: z.string(),
  instructions: z.string(),
  tools: z.array(ApiTool),
  metadata: z.record(z.string(), z.string()),
  usage: z
    .object({ prompt_tokens: z.number().int(), completion_tokens: z.number().int(), total_tokens: z.number().int() })
    .nullable(),
  temperature: z.number().nullable(),
  top_p: z.number().nullable(),
  max_prompt_tokens: z.number().int().nullable(),
  max_completion_tokens: z.number().int().nullable(),
  truncation_strategy: z.object({
    type: z.enum(['auto', 'last_messages']),
    last_messages: z.number().int().nullable(),
  }),
  tool_choice: ToolChoice,
  parallel_tool_calls: z.boolean(),
  response_format: ResponseFormat,
  reasoning_effort: ApiAssistant.shape.reasoning_effort,
});
export type ApiRun = z.output<typeof ApiRun>;

const functionOutputLimit = 256 * 1024;
const ToolOutputs = z.strictObject({
  tool_outputs: z
    .array(
      z.strictObject({
        tool_call_id: z.string().min(1).max(200),
        output: z.string().max(functionOutputLimit).default(''),
      }),
    )
    .max(128),
  stream: z.boolean().nullish(),
});

const included = z.literal('step_details.tool_calls[*].file_search.results[*].content');
const include = z.strictObject({ 'include[]': z.union([included, z.array(included).max(5)]).optional() });

const ofThread = z.strictObject({ id: ApiId });
const oneOfThread = z.strictObject({ id: ApiId, runId: ApiId });
const ofRun = z.strictObject({ id: ApiId, runId: ApiId, stepId: ApiId });
const common = { right: 'chat', keepsTexts: true, isBeta: true } as const;
const megabyte = 1024 * 1024;

export const apiRuns = {
  createWithThread: apiEndpoint({
    ...common,
    method: 'POST',
    path: '/v1/threads/runs',
    summary: 'Creates a thread and runs an assistant on it; returns the run at once, or streams events.',
    body: NewApiThreadAndRun,
    output: ApiRun,
    bodyLimit: 8 * megabyte,
  }),
  create: apiEndpoint({
    ...common,
    method: 'POST',
    path: '/v1/threads/:id/runs',
    summary: 'Runs an assistant on a thread; returns the run at once, or streams events.',
    params: ofThread,
    query: include,
    body: NewApiRun,
    output: ApiRun,
    bodyLimit: 8 * megabyte,
  }),
  list: apiEndpoint({
    ...common,
    method: 'GET',
    path: '/v1/threads/:id/runs',
    summary: 'Lists the runs of a thread.',
    params: ofThread,
    query: z.strictObject(apiPage),
    output: apiList(ApiRun),
  }),
  get: apiEndpoint({
    ...common,
    method: 'GET',
    path: '/v1/threads/:id/runs/:runId',
    summary: 'Returns one run.',
    params: oneOfThread,
    output: ApiRun,
  }),
  modify: apiEndpoint({
    ...common,
    method: 'POST',
    path: '/v1/threads/:id/runs/:runId',
    summary: 'Changes the metadata of a run.',
    params: oneOfThread,
    body: z.strictObject({ metadata: Metadata.nullish() }),
    output: ApiRun,
  }),
  cancel: apiEndpoint({
    ...common,
    method: 'POST',
    path: '/v1/threads/:id/runs/:runId/cancel',
    summary: 'Cancels a run that is in progress or waiting.',
    params: oneOfThread,
    // Clients send an empty body or none.
    body: z.strictObject({}),
    output: ApiRun,
  }),
  submit: apiEndpoint({
    ...common,
    method: 'POST',
    path: '/v1/threads/:id/runs/:runId/submit_tool_outputs',
    summary:
      'Submits the outputs of the called functions and continues the run; returns the run at once, or streams events.',
    params: oneOfThread,
    body: ToolOutputs,
    output: ApiRun,
    bodyLimit: 8 * megabyte,
  }),
  steps: apiEndpoint({
    ...common,
    method: 'GET',
    path: '/v1/threads/:id/runs/:runId/steps',
    summary: 'Lists the steps of a run: messages written and tools called.',
    params: oneOfThread,
    query: z.strictObject({ ...apiPage, ...include.shape }),
    output: apiList(ApiRunStep),
  }),
  step: apiEndpoint({
    ...common,
    method: 'GET',
    path: '/v1/threads/:id/runs/:runId/steps/:stepId',
    summary: 'Returns one step of a run.',
    params: ofRun,
    query: include,
    output: ApiRunStep,
  }),
};
