import type { RunError } from '@roster/contracts/errors';
import type { ApiRun, ApiRunStatus } from '@roster/contracts/public-api/assistants/runs';
import type { FullApiRun } from '#server/features/chat/api-threads/runs';
import type { Ids } from '#server/features/public-api/shared/ids';
import { unixSeconds } from '#server/features/public-api/shared/list';
import { readOptions } from './options.ts';
import { spentBy } from './run-target.ts';

/** An answer that takes longer is aborted. */
const answerSeconds = 600;

/** Current status: the run's own while it waits or if it ended while waiting, else that of its last part. */
export function statusOf({ state, waitsUntil, parts }: FullApiRun): ApiRunStatus {
  if (state === 'waiting') return (waitsUntil ?? '') > new Date().toISOString() ? 'requires_action' : 'expired';
  if (state === 'cancelled') return 'cancelled';
  if (state !== 'as_current') return 'incomplete';
  const last = parts.at(-1);
  switch (last?.state) {
    case 'queued':
      return last.isStopping ? 'cancelling' : 'queued';
    case 'running':
    case 'waiting':
      return last.isStopping ? 'cancelling' : 'in_progress';
    case 'complete':
      return last.reason === 'length' || last.reason === 'content_filter' ? 'incomplete' : 'completed';
    case 'stopped':
      return 'cancelled';
    default:
      return 'failed';
  }
}

const active: readonly ApiRunStatus[] = ['queued', 'in_progress', 'cancelling', 'requires_action'];
const isActive = (status: ApiRunStatus) => active.includes(status);

const ofLimits: readonly RunError['code'][] = ['rate_limited', 'insufficient_quota'];
const ofPrompt: readonly RunError['code'][] = ['context_too_long', 'content_filter'];

export function errorOf(error: RunError | null): ApiRun['last_error'] {
  if (!error) return null;
  const { code, message } = error;
  if (ofLimits.includes(code)) return { code: 'rate_limit_exceeded', message };
  return { code: ofPrompt.includes(code) ? 'invalid_prompt' : 'server_error', message };
}

/** Function calls that await results. */
const openCalls = ({ calls, currentRunId }: FullApiRun) =>
  calls.filter(({ runId, kind }) => runId === currentRunId && kind === 'function');

function incompleteDetails({ state, parts }: FullApiRun): ApiRun['incomplete_details'] {
  if (state === 'max_prompt_tokens' || state === 'max_completion_tokens') return { reason: state };
  return parts.at(-1)?.reason === 'length' ? { reason: 'max_completion_tokens' } : {};
}

function timesOf(run: FullApiRun, status: ApiRunStatus) {
  const [first, last] = [run.parts[0], run.parts.at(-1)];
  const started = unixSeconds(last?.createdAt ?? '');
  const endedAt = run.endedAt ?? last?.finishedAt ?? null;
  const at = (...wanted: ApiRunStatus[]) => (endedAt !== null && wanted.includes(status) ? unixSeconds(endedAt) : null);
  const isWaiting = status === 'requires_action' || status === 'expired';
  const untilEnd = isActive(status) ? started + answerSeconds : null;
  return {
    created_at: unixSeconds(first?.createdAt ?? ''),
    started_at: status === 'queued' ? null : started,
    expires_at: isWaiting && run.waitsUntil !== null ? unixSeconds(run.waitsUntil) : untilEnd,
    cancelled_at: at('cancelled'),
    failed_at: at('failed'),
    completed_at: at('completed', 'incomplete'),
  };
}

function usageOf(run: FullApiRun, status: ApiRunStatus): ApiRun['usage'] {
  if (isActive(status)) return null;
  const { promptTokens, completionTokens } = spentBy(run);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

export function runObject(run: FullApiRun, { encode }: Ids): ApiRun {
  const {
    assistantId: _,
    assistantVersion: __,
    assistant,
    tool_resources: ___,
    truncation_strategy: truncation,
    fallback: ____,
    variables: _____,
    ...options
  } = readOptions(run.options);
  const status = statusOf(run);
  return {
    id: encode('run', run.id),
    object: 'thread.run',
    thread_id: encode('thread', run.threadId),
    assistant_id: assistant,
    status,
    ...timesOf(run, status),
    required_action:
      status === 'requires_action'
        ? {
            type: 'submit_tool_outputs',
            submit_tool_outputs: {
              tool_calls: openCalls(run).map(({ callId, name, input }) => ({
                id: callId,
                type: 'function',
                function: { name, arguments: input },
              })),
            },
          }
        : null,
    last_error: status === 'failed' ? errorOf(run.parts.at(-1)?.error ?? null) : null,
    incomplete_details: status === 'incomplete' ? incompleteDetails(run) : null,
    metadata: run.metadata,
    usage: usageOf(run, status),
    truncation_strategy: { type: truncation.type, last_messages: truncation.last_messages ?? null },
    ...options,
  };
}
