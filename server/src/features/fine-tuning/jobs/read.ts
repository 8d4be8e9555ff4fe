import { isFinalJob } from '@roster/contracts/fine-tuning/jobs';
import type { JobChanges, JobRecord } from '#server/features/fine-tuning/shared/rows';
import type { ProviderFineTuning } from '#server/provider/resources/fine-tuning';
import type { ProviderCheckpoint } from '#server/provider/resources/fine-tuning-answers';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import type { JobMessages } from './messages.ts';
import { type PollResult, toJobState } from './states.ts';

type Dependencies = { provider: ProviderFineTuning; words: JobMessages };

/** The provider's state of a job that it has, after a requested cancellation. */
export async function readJob(
  { provider, words }: Dependencies,
  job: JobRecord,
  providerJobId: string,
  apiKey: Secret,
): Promise<PollResult> {
  const refusal =
    job.cancelRequested && !isFinalJob(job.status) ? await cancelThere(provider, apiKey, providerJobId) : undefined;
  // The job first: then the events include what happened before the state that it reports.
  const answer = await provider.retrieve(apiKey, providerJobId);
  const events = (await provider.events(apiKey, providerJobId, job.lastProviderEventId)).reverse();
  const state = toJobState(answer, job.status);
  const isOver = isFinalJob(state.status);
  const checkpoints = events.length > 0 || isOver ? await checkpointsOf(provider, apiKey, providerJobId) : [];
  const totalSteps = events.findLast((event) => event.totalSteps !== null)?.totalSteps ?? job.totalSteps;
  const changes: JobChanges = {
    ...state,
    totalSteps,
    lastProviderEventId: events.at(-1)?.id ?? job.lastProviderEventId,
    ...(refusal !== undefined && !isOver && { cancelRequested: false, notice: words.cancelRefused(refusal) }),
  };
  return { changes, news: { events, checkpoints }, again: isOver ? 'never' : 'soon' };
}

/** Returns the reason if the provider refuses; the cancellation is then withdrawn. */
async function cancelThere(provider: ProviderFineTuning, apiKey: Secret, jobId: string): Promise<string | undefined> {
  try {
    await provider.cancel(apiKey, jobId);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.isTransient || error.code === 'key_rejected') throw error;
    return error.message;
  }
  return undefined;
}

/** Not every server has them. */
async function checkpointsOf(
  provider: ProviderFineTuning,
  apiKey: Secret,
  providerJobId: string,
): Promise<ProviderCheckpoint[]> {
  try {
    return (await provider.checkpoints(apiKey, providerJobId)).reverse();
  } catch (error) {
    if (error instanceof ProviderError && (error.isNotFound || error.code === 'not_served')) return [];
    throw error;
  }
}
