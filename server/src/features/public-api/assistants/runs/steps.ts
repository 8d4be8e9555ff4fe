import type { ApiRunStep, ApiToolCall } from '@roster/contracts/public-api/assistants/run-steps';
import { z } from 'zod';
import type { FullApiRun } from '#server/features/chat/api-threads/runs';
import type { ApiRunPart } from '#server/features/chat/shared/api-run-repository';
import type { StoredCall as KeptCall } from '#server/features/chat/shared/tool-call-repository';
import type { Ids } from '#server/features/public-api/shared/ids';
import { unixSeconds } from '#server/features/public-api/shared/list';
import { StoredPassage } from '#server/provider/responses/tools';
import { readOptions } from './options.ts';
import { errorOf, statusOf } from './run-object.ts';

/** Steps that a part of a run can have, in order. */
const kinds = ['provider_tools', 'message', 'functions'] as const;
export type StepKind = (typeof kinds)[number];

/** A step's number combines the number of its part with its place in it. */
const stepsOfPart = 4;
export const stepNumber = (runId: number, kind: StepKind) => runId * stepsOfPart + kinds.indexOf(kind);
export const runIdOfStep = (number: number) => Math.floor(number / stepsOfPart);

const Logs = z.object({ type: z.literal('logs'), logs: z.string() });

/** Items of a JSON list that match the schema. */
function listed<Schema extends z.ZodType>(schema: Schema, json: string | null): z.output<Schema>[] {
  const items: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(items)
    ? items.flatMap((item) => {
        const parsed = schema.safeParse(item);
        return parsed.success ? [parsed.data] : [];
      })
    : [];
}

/** Stored by versions without Roster's file ids: by the provider's id, which also names the file. */
const EarlierPassage = z
  .object({ ...StoredPassage.omit({ fileId: true }).shape, file_id: z.string() })
  .transform(({ file_id: fileId, ...passage }) => ({ ...passage, fileId }));
const Passage = z.union([StoredPassage, EarlierPassage]);

/** Files in which the searches of a run have found something. */
export const foundFileIds = ({ calls }: Pick<FullApiRun, 'calls'>): number[] =>
  calls.flatMap(({ kind, output }) =>
    kind === 'file_search' ? listed(StoredPassage, output).map(({ fileId }) => fileId) : [],
  );

/** A call of a kind that the retired API knows; other calls are not shown. */
export type PublicCall = Pick<KeptCall, 'callId' | 'name' | 'input' | 'output'> & {
  kind: (typeof publicKinds)[number];
};
const publicKinds = ['function', 'file_search', 'code_interpreter'] as const;
export const isPublicCall = <Call extends Pick<KeptCall, 'kind'>>(
  call: Call,
): call is Call & Pick<PublicCall, 'kind'> => publicKinds.some((kind) => kind === call.kind);

/** Options for showing calls. */
type CallOptions = {
  /** Includes the text found in files. */
  withTexts: boolean;
  /** Searched files that still exist; undefined for all, if the search has just run. */
  present?: ReadonlySet<number> | undefined;
};

export function toolCallObject(
  { kind, callId: id, name, input, output }: PublicCall,
  { encode }: Pick<Ids, 'encode'>,
  { withTexts, present }: CallOptions,
): ApiToolCall {
  switch (kind) {
    case 'function':
      return { id, type: kind, function: { name, arguments: input, output } };
    case 'code_interpreter':
      return { id, type: kind, code_interpreter: { input, outputs: listed(Logs, output) } };
    case 'file_search':
      return {
        id,
        type: kind,
        file_search: {
          results: listed(Passage, output)
            .filter(({ fileId }) => typeof fileId === 'string' || (present?.has(fileId) ?? true))
            .map(({ fileId, filename, score, text }) => ({
              file_id: typeof fileId === 'string' ? fileId : encode('file', fileId),
              file_name: filename,
              score,
              ...(withTexts && { content: [{ type: 'text' as const, text }] }),
            })),
        },
      };
  }
}

type Standing = Pick<
  ApiRunStep,
  'status' | 'last_error' | 'expired_at' | 'cancelled_at' | 'failed_at' | 'completed_at'
>;
const open: Standing = {
  status: 'in_progress',
  last_error: null,
  expired_at: null,
  cancelled_at: null,
  failed_at: null,
  completed_at: null,
};

function standingOf(run: FullApiRun, part: ApiRunPart, kind: StepKind): Standing {
  const at = unixSeconds(run.endedAt ?? part.finishedAt ?? part.createdAt);
  if (part.state === 'queued' || part.state === 'running' || part.state === 'waiting') return open;
  if (part.state === 'stopped') return { ...open, status: 'cancelled', cancelled_at: at };
  if (part.state !== 'complete') {
    const error = errorOf(part.error);
    const code = error?.code === 'rate_limit_exceeded' ? error.code : 'server_error';
    return { ...open, status: 'failed', failed_at: at, last_error: { code, message: error?.message ?? '' } };
  }
  const isOpen = kind === 'functions' && part.id === run.currentRunId && run.state !== 'as_current';
  if (!isOpen) return { ...open, status: 'completed', completed_at: unixSeconds(part.finishedAt ?? part.createdAt) };
  const status = statusOf(run);
  if (status === 'requires_action') return open;
  if (status === 'cancelled') return { ...open, status, cancelled_at: at };
  return { ...open, status: 'expired', expired_at: unixSeconds(run.waitsUntil ?? part.createdAt) };
}

/** A step in progress. */
export function stepObject(
  run: FullApiRun,
  part: ApiRunPart,
  kind: StepKind,
  { encode }: Ids,
  more: Partial<ApiRunStep> & Pick<ApiRunStep, 'step_details'>,
): ApiRunStep {
  return {
    id: encode('step', stepNumber(part.id, kind)),
    object: 'thread.run.step',
    created_at: unixSeconds(part.createdAt),
    assistant_id: readOptions(run.options).assistant,
    thread_id: encode('thread', run.threadId),
    run_id: encode('run', run.id),
    type: more.step_details.type,
    ...open,
    metadata: {},
    usage: null,
    ...more,
  };
}

/** Steps of a run so far, the oldest first. */
export function listSteps(run: FullApiRun, ids: Ids, telling: CallOptions): (ApiRunStep & { number: number })[] {
  return run.parts.flatMap((part) => {
    const calls = run.calls.filter(isPublicCall).filter(({ runId }) => runId === part.id);
    const called = (isFunction: boolean) => calls.filter(({ kind }) => (kind === 'function') === isFunction);
    const toolCalls = (isFunction: boolean) => ({
      type: 'tool_calls' as const,
      tool_calls: called(isFunction).map((call) => toolCallObject(call, ids, telling)),
    });
    const messageId = ids.encode('msg', part.messageId);
    const details: [StepKind, ApiRunStep['step_details']][] = [];
    if (called(false).length > 0) details.push(['provider_tools', toolCalls(false)]);
    if (part.hasText)
      details.push(['message', { type: 'message_creation', message_creation: { message_id: messageId } }]);
    if (called(true).length > 0) details.push(['functions', toolCalls(true)]);
    return details.map(([kind, step_details], index) => ({
      number: stepNumber(part.id, kind),
      ...stepObject(run, part, kind, ids, {
        step_details,
        ...standingOf(run, part, kind),
        // The usage of a part is shown with its last step.
        usage: index === details.length - 1 ? usageOf(part) : null,
      }),
    }));
  });
}

function usageOf({ usage }: ApiRunPart): ApiRunStep['usage'] {
  if (!usage) return null;
  const { inputTokens, outputTokens } = usage;
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
}
