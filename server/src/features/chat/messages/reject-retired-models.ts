import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { type ChatTarget, modelsWithoutFallback } from '#server/features/chat/shared/chat-target';
import { messageRepository } from '#server/features/chat/shared/message-repository';
import type { ThreadRecord } from '#server/features/chat/shared/thread-repository';
import type { RetirementGuard } from '#server/features/models/retirement/guard';

type ModelSelection = {
  userId: number;
  thread: Pick<ThreadRecord, 'assistantId' | 'model' | 'headMessageId'>;
  /** Chosen for this message; none: the thread's own. */
  models: string[];
  targets: ChatTarget[];
};

/** Rejects retired models, and a default model that would silently replace the one that wrote the last answer. */
export async function rejectRetiredModels(
  { db, retiredModels }: { db: Kysely<Database>; retiredModels: RetirementGuard },
  { userId, thread, models, targets }: ModelSelection,
) {
  await retiredModels.refuse(userId, modelsWithoutFallback(targets));
  const { assistantId, model, headMessageId } = thread;
  const usesDefault = assistantId === null && model === null && models.length === 0;
  if (usesDefault && headMessageId !== null)
    await retiredModels.refuseUsual(userId, () => messageRepository(db).modelOf(userId, headMessageId));
}
