import type { RetirementGuard } from '#server/features/models/retirement/guard';
import type { Answerer } from './answerer.ts';

type Dependencies = {
  endedModels: RetirementGuard;
  /** The model that wrote an answer. */
  modelOf: (userId: number, messageId: number) => Promise<string | null>;
};
type Thread = { assistantId: number | null; model: string | null; headMessageId: number | null };

/** Refuses to go on with a model that has ended, or silently with another one in its place. */
export function endedModelRefusal({ endedModels, modelOf }: Dependencies) {
  return async function refuseEnded(userId: number, thread: Thread, chosen: string[], answerers: Answerer[]) {
    await endedModels.refuse(
      userId,
      answerers.flatMap(({ model }) => model ?? []),
    );
    const { assistantId, model, headMessageId } = thread;
    const isUsual = assistantId === null && model === null && chosen.length === 0;
    if (isUsual && headMessageId !== null) await endedModels.refuseUsual(userId, () => modelOf(userId, headMessageId));
  };
}

export type EndedModelRefusal = ReturnType<typeof endedModelRefusal>;
