import { MessageNotFoundError, RunActiveError, ThreadNotFoundError } from '#server/conversation/errors';
import type { Ids } from '#server/features/public-api/shared/ids';
import { PublicApiError, resourceNotFound } from '#server/http/public-api/errors';
import { AppError } from '#server/lib/errors';

/** Ids in a path below /v1/threads. */
type ThreadPath = { id: string; messageId?: string };

/**
 * Runs `work` on a thread, or on one of its messages if named, and words refusals as the retired API does. `change`
 * names what cannot be done while a run is active.
 */
export async function withThread<T>(
  ids: () => Promise<Ids>,
  { id, messageId }: ThreadPath,
  work: (threadId: number, messageId: number) => Promise<T>,
  change = 'change',
): Promise<T> {
  const { decode, encode } = await ids();
  const threadId = decode('thread', id);
  if (threadId === undefined) throw resourceNotFound('thread', id);
  const number = messageId === undefined ? 0 : decode('msg', messageId);
  try {
    if (number === undefined) throw resourceNotFound('message', messageId ?? '');
    return await work(threadId, number);
  } catch (error) {
    if (error instanceof ThreadNotFoundError) throw resourceNotFound('thread', id);
    if (error instanceof MessageNotFoundError) throw resourceNotFound('message', messageId ?? '');
    if (!(error instanceof RunActiveError)) throw toAttachmentError(error);
    const run = encode('run', error.runId);
    const message = `Can't ${change} ${id} while a run ${run} is active.`;
    throw new PublicApiError('run_in_progress', message, { status: 400, cause: error });
  }
}

/** An unreadable file, or too many files, is the fault of the request, as everywhere in this API. */
export function toAttachmentError(error: unknown): unknown {
  if (!(error instanceof AppError) || error.fields?.fileIds === undefined) return error;
  return new PublicApiError(error.code, error.message, { status: 400, param: 'attachments', cause: error });
}
