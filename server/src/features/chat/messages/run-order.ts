import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { RunOrder } from '#server/features/chat/runs/live-run';
import { runRepository } from '#server/features/chat/runs/repository';
import { toolCallRepository } from '#server/features/chat/runs/tool-call-repository';
import type { Catalogue } from '#server/provider/catalogue';
import type { Secret } from '#server/security/secret';
import type { StoredAnswer } from './answer-store.ts';
import type { Answerer } from './answerer.ts';
import type { AttachmentReader } from './attachments.ts';
import { branchRepository } from './branch-repository.ts';
import { messageFileRepository } from './file-repository.ts';
import { readHistory } from './history.ts';

type Dependencies = {
  db: Kysely<Database>;
  catalogue: Catalogue;
  attachments: AttachmentReader;
  /** May ask the provider. */
  defaultModel: (userId: number) => Promise<string>;
};

/** Turns stored answers into orders for runs. The run itself gathers what an order needs, so a failure there ends it like any other. */
export function orderMaker({ db, catalogue, attachments, defaultModel }: Dependencies) {
  const branches = branchRepository(db);
  const messageFiles = messageFileRepository(db);
  const toolCalls = toolCallRepository(db);

  async function settled(userId: number, runId: number, { model }: Answerer): Promise<string> {
    if (model !== null) return model;
    const chosen = await defaultModel(userId);
    await runRepository(db).settleModel(userId, runId, chosen);
    return chosen;
  }

  return function orderOf(
    userId: number,
    apiKey: Secret,
    { question, run, answerer, programRunId }: StoredAnswer,
  ): RunOrder {
    const { instructions, temperature, effort, assistantId, knowledge, asked } = answerer;
    const { limits, ...options } = asked ?? {};
    const { id: runId, threadId, messageId } = run;
    return {
      runId,
      userId,
      threadId,
      messageId,
      assistantId,
      comparisonId: null,
      programRunId: programRunId ?? null,
      async prepare() {
        const model = await settled(userId, runId, answerer);
        const { turns, ...rest } = await readHistory(
          { branches, messageFiles, attachments, catalogue, toolCalls },
          { userId, threadId, head: question.id, depth: question.depth },
          model,
          instructions,
          limits,
        );
        const settings = { instructions, temperature, effort, search: knowledge.search, ...options };
        const request = { apiKey, model, turns, ...settings };
        return { request, notes: knowledge.notes, ...rest };
      },
    };
  };
}

export type OrderMaker = ReturnType<typeof orderMaker>;
