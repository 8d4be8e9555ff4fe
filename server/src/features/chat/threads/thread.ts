import type { Thread } from '@roster/contracts/chat';
import type { ThreadRecord } from './repository.ts';

/** As it is shown. */
export function toThread(record: ThreadRecord): Thread {
  const { id, title, assistantId, model, tools, pinned, archived, madeBy, createdAt, updatedAt, runId } = record;
  const thread = { id, title, assistantId, model, pinned, archived, madeBy, createdAt, updatedAt, runId };
  return { ...thread, ...(tools && { tools }), ...(record.waitsForApproval && { waitsForApproval: true }) };
}

/** As it is taken along: with what a program has written with it. */
export type ThreadToKeep = Omit<Thread, 'id' | 'runId' | 'waitsForApproval'> & {
  metadata?: unknown;
  toolResources?: unknown;
};

export function toKeptThread(record: ThreadRecord): ThreadToKeep {
  const { id: _, runId: __, waitsForApproval: ___, ...thread } = toThread(record);
  const { metadata, toolResources } = record;
  return {
    ...thread,
    ...(metadata !== null && { metadata: JSON.parse(metadata) }),
    ...(toolResources !== null && { toolResources: JSON.parse(toolResources) }),
  };
}
