import type { Kysely } from 'kysely';
import type { OfferedTool, ToolRegistry } from '#server/conversation/tools';
import type { Database } from '#server/db/schema';
import type { Knowledge } from '#server/features/assistants/knowledge/service';
import { continuedTurns } from '#server/features/chat/runs/continuation';
import type { PreparedRequest, RunOrder, ToolLoop } from '#server/features/chat/runs/live-run';
import { runRepository } from '#server/features/chat/runs/repository';
import { toolCallRepository } from '#server/features/chat/runs/tool-call-repository';
import type { AbandonedRun } from '#server/features/chat/runs/unfinished-repository';
import type { AnswerTools } from '#server/provider/answer-tools';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { formatOfSchema } from '#server/provider/schema-format';
import type { Secret } from '#server/security/secret';
import { noQuestion, type Question, type StoredAnswer } from './answer-store.ts';
import { type Answerer, nothingKnown } from './answerer.ts';
import type { AttachmentReader } from './attachments.ts';
import { branchRepository } from './branch-repository.ts';
import { messageFileRepository } from './file-repository.ts';
import { readHistory } from './history.ts';
import { messageRepository } from './repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  catalogue: Catalogue;
  attachments: AttachmentReader;
  /** What code reads at the provider. May ask it. */
  copies: CodeCopies;
  /** May ask the provider. */
  defaultModel: (userId: number) => Promise<string>;
  openKey: (userId: number) => Promise<Secret>;
  /** Refuses a call that a budget does not allow; `way` is what can be done about it. */
  checkBudget: (userId: number, assistantId: number | null, way?: string) => Promise<void>;
  knowledgeOf: (userId: number, assistantId: number) => Promise<Knowledge>;
  toolBox: Pick<ToolRegistry, 'offered'>;
};

export type CodeCopies = {
  /** The provider's ids of files, which are forwarded first where it does not have them yet. */
  forwarded: (userId: number, fileIds: readonly number[], signal: AbortSignal) => Promise<Map<number, string>>;
  /** Looks which ones the provider still has: the others are forwarded again. */
  check: (userId: number) => Promise<void>;
};

const runsCode = ({ asked }: Answerer) => (asked?.tools?.codeInterpreter ?? null) !== null;

/** What an assistant wants of its answers; a model that has no such forms answers in words. */
export const formOf = (schema: string | null) =>
  schema === null ? {} : { format: formatOfSchema(schema), canLeaveFormatOut: true };

/** What an answer with tools goes on with on another process, or after days. */
type LoopSettings = {
  /** As it was when it was asked for. */
  answerer: Omit<Answerer, 'knowledge'>;
  overBudget: boolean;
};
export const readLoopSettings = (json: string): LoopSettings => JSON.parse(json);

/** What is asked of a run that is stored. */
type Asked = {
  runId: number;
  userId: number;
  threadId: number;
  messageId: number;
  assistantId: number | null;
  programRunId: number | null;
  overBudget: boolean;
  /** After calls of tools. */
  goesOn: boolean;
  /** The history ends with the answer so far, of which the rest is asked. */
  isContinued?: boolean;
  openKey: () => Promise<Secret>;
  answererOf: () => Promise<Answerer>;
  /** Where the history ends: in the question, or in the answer that is continued. */
  questionOf: () => Promise<Question>;
};

type ContinuedAnswer = Pick<Asked, 'runId' | 'userId' | 'threadId' | 'messageId' | 'overBudget'> & {
  answerer: Answerer;
};

const wayToRaise = 'Raise it in Analytics, and ask for a new answer.';

/**
 * Turns stored answers into orders for runs. The run itself gathers what an order needs, so a failure there ends it like any other.
 *
 * Long: what an order needs, each read alone.
 */
export function orderMaker(dependencies: Dependencies) {
  const { db, catalogue, attachments, copies, defaultModel, openKey, checkBudget, knowledgeOf, toolBox } = dependencies;
  const branches = branchRepository(db);
  const messageFiles = messageFileRepository(db);
  const toolCalls = toolCallRepository(db);
  const messages = messageRepository(db);

  async function settled(userId: number, runId: number, { model }: Answerer): Promise<string> {
    if (model !== null) return model;
    const chosen = await defaultModel(userId);
    await runRepository(db).settleModel(userId, runId, chosen);
    return chosen;
  }

  /** The tools, with the files for code as the provider knows them. */
  async function toolsOf(userId: number, { asked }: Answerer, signal: AbortSignal): Promise<AnswerTools | undefined> {
    const { tools, codeFiles = [] } = asked ?? {};
    if (!tools?.codeInterpreter || codeFiles.length === 0) return tools;
    const files = await copies.forwarded(userId, codeFiles, signal);
    return { ...tools, codeInterpreter: { fileIds: [...files.values()] } };
  }

  /** The tools of tool servers. Of a program nobody waits to be asked: it gets those that need no approval. */
  async function offeredTo(
    { userId, assistantId, programRunId }: Asked,
    { asked, serversOff = [] }: Answerer,
  ): Promise<OfferedTool[]> {
    if (assistantId === null) return [];
    const names = new Set(asked?.tools?.functions.map(({ name }) => name));
    const offered = (await toolBox.offered(userId, assistantId)).filter(
      ({ name, serverId }) => !names.has(name) && !serversOff.includes(serverId),
    );
    return offered.filter(({ approval }) => programRunId === null || approval === 'never').slice(0, offeredAtMost);
  }

  function loopOf(asked: Asked, answerer: Answerer, model: string, offered: readonly OfferedTool[]): ToolLoop {
    const { userId, assistantId, programRunId, overBudget } = asked;
    const { knowledge: _, ...kept } = answerer;
    return {
      offered,
      canAsk: programRunId === null,
      settings: JSON.stringify({ answerer: { ...kept, model }, overBudget } satisfies LoopSettings),
      checkBudget: async () => {
        if (!overBudget) await checkBudget(userId, assistantId, wayToRaise);
      },
    };
  }

  async function prepare(asked: Asked, signal: AbortSignal): Promise<PreparedRequest> {
    const { runId, userId, threadId } = asked;
    const answerer = await asked.answererOf();
    const { instructions, temperature, effort, schema, knowledge, hosted } = answerer;
    const { limits, codeFiles = [], ...options } = answerer.asked ?? {};
    const model = await settled(userId, runId, answerer);
    const apiKey = await asked.openKey();
    const question = await asked.questionOf();
    const { turns: all, ...rest } = await readHistory(
      { branches, messageFiles, attachments, catalogue, toolCalls },
      { userId, threadId, head: question.id, depth: question.depth, runsCode: runsCode(answerer) },
      model,
      instructions,
      limits,
    );
    const { before: turns, soFar } = asked.isContinued ? continuedTurns(all) : { before: all };
    const { search } = knowledge;
    const settings = { instructions, temperature, effort, search, hosted, ...formOf(schema), ...options };
    const offered = await offeredTo(asked, answerer);
    const withTools = async () => {
      const tools = withOffered(await toolsOf(userId, answerer, signal), offered);
      return { apiKey, model, turns, ...settings, tools };
    };
    const prepared: PreparedRequest = { request: await withTools(), notes: knowledge.notes, ...rest };
    if (soFar) prepared.soFar = soFar;
    if (codeFiles.length > 0)
      prepared.filesAgain = async () => {
        await copies.check(userId);
        return withTools();
      };
    // One that goes on does so also where its tools are gone.
    if (offered.length > 0 || asked.goesOn) prepared.loop = loopOf(asked, answerer, model, offered);
    return prepared;
  }

  const orderFor = (asked: Asked): RunOrder => {
    const { runId, userId, threadId, messageId, assistantId, programRunId } = asked;
    const of = { runId, userId, threadId, messageId, assistantId, programRunId };
    return { ...of, comparisonId: null, judgingId: null, prepare: (signal) => prepare(asked, signal) };
  };

  return {
    orderOf(
      userId: number,
      apiKey: Secret,
      { question, run, answerer, programRunId, overBudget = false }: StoredAnswer,
    ): RunOrder {
      const { id: runId, threadId, messageId } = run;
      const { assistantId } = answerer;
      return orderFor({
        ...{ runId, userId, threadId, messageId, assistantId, overBudget, goesOn: false },
        programRunId: programRunId ?? null,
        openKey: async () => apiKey,
        answererOf: async () => answerer,
        questionOf: async () => question,
      });
    },
    /** Of a run that continues its answer, which has ended. */
    continuedOrder(apiKey: Secret, asked: ContinuedAnswer, answer: Question): RunOrder {
      const { answerer, ...of } = asked;
      const { assistantId } = answerer;
      return orderFor({
        ...{ ...of, assistantId, programRunId: null, goesOn: false, isContinued: true },
        openKey: async () => apiKey,
        answererOf: async () => answerer,
        questionOf: async () => answer,
      });
    },
    /** Of a run that goes on, by what was stored when it began. */
    orderAgain({ id: runId, ...run }: AbandonedRun, settings: string): RunOrder {
      const { userId, assistantId, messageId } = run;
      const { answerer, overBudget } = readLoopSettings(settings);
      return orderFor({
        ...{ ...run, runId, overBudget, goesOn: true },
        openKey: () => openKey(userId),
        async answererOf() {
          const knowledge = assistantId === null ? undefined : await knowledgeOf(userId, assistantId);
          return { ...answerer, knowledge: knowledge ?? nothingKnown };
        },
        async questionOf() {
          const answer = await messages.place(userId, messageId);
          if (answer?.parentId === null) return noQuestion;
          const question = answer?.parentId ? await messages.place(userId, answer.parentId) : undefined;
          if (!question) throw new Error('The question of a run is gone');
          return question;
        },
      });
    },
  };
}

export type OrderMaker = ReturnType<typeof orderMaker>['orderOf'];
export type OrderAgain = ReturnType<typeof orderMaker>['orderAgain'];
export type ContinuedOrder = ReturnType<typeof orderMaker>['continuedOrder'];

const offeredAtMost = 128;

/** The functions that the model is told of: those of its program, and the tools of tool servers. */
function withOffered(tools: AnswerTools | undefined, offered: readonly OfferedTool[]): AnswerTools | undefined {
  if (offered.length === 0) return tools;
  const functions = offered.map(({ name, description, inputSchema }) => ({
    name,
    ...(description !== '' && { description }),
    parameters: inputSchema,
    canBeSpared: true,
  }));
  if (!tools) return { functions, codeInterpreter: null, choice: 'auto', isParallel: true };
  return { ...tools, functions: [...tools.functions, ...functions] };
}
