import type { Thread } from '@roster/contracts/chat';
import type { ThreadRecord } from '#server/features/chat/shared/thread-repository';

/** The thread as the API returns it. */
export function toThread(record: ThreadRecord): Thread {
  const { id, title, assistantId, model, tools, pinned, archived, madeBy, createdAt, updatedAt, runId } = record;
  const thread = { id, title, assistantId, model, pinned, archived, madeBy, createdAt, updatedAt, runId };
  return {
    ...thread,
    ...(tools && { tools }),
    ...(record.projectId !== undefined && { projectId: record.projectId }),
    ...(record.waitsForApproval && { waitsForApproval: true }),
    ...(record.expiresAt !== null && { temporary: true }),
    ...(record.queued && { queued: record.queued }),
  };
}

/** The thread as an export contains it, with the fields of API clients. */
export type ExportedThread = Omit<Thread, 'id' | 'runId' | 'waitsForApproval' | 'temporary' | 'queued'> & {
  metadata?: unknown;
  toolResources?: unknown;
  /** The last message of the branch that is shown. */
  head?: number;
};

export function toExportedThread(record: ThreadRecord): ExportedThread {
  const { id: _, runId: __, waitsForApproval: ___, temporary: ____, queued: _____, ...thread } = toThread(record);
  const { metadata, toolResources, headMessageId } = record;
  return {
    ...thread,
    ...(headMessageId !== null && { head: headMessageId }),
    ...(metadata !== null && { metadata: JSON.parse(metadata) }),
    ...(toolResources !== null && { toolResources: JSON.parse(toolResources) }),
  };
}
