import { connectionIdOf } from '@roster/contracts/models/model-reference';
import type { Kysely } from 'kysely';
import type { FillInstructions } from '#server/conversation/fill-instructions';
import type { OfferedTool, ToolRegistry } from '#server/conversation/tools';
import type { Database } from '#server/db/schema';
import { continuedTurns } from '#server/features/chat/runs/events/continuation';
import type {
  AnswerInput,
  BuildRequest,
  PreparedRequest,
  PromptInput,
  ResumedInput,
  RunSpec,
  ToolLoop,
  ToolLoopSettings,
} from '#server/features/chat/runs/lifecycle/run-spec';
import type { AttachmentReader } from '#server/features/chat/shared/attachments';
import { type BranchHead, branchRepository, emptyBranch } from '#server/features/chat/shared/branch-repository';
import {
  type ChatTarget,
  knowledgeOfThread,
  noKnowledge,
  responseFormat,
  type ThreadKnowledge,
  withoutIndexedFiles,
} from '#server/features/chat/shared/chat-target';
import { messageFileRepository } from '#server/features/chat/shared/message-file-repository';
import { messageRepository } from '#server/features/chat/shared/message-repository';
import { runRepository } from '#server/features/chat/shared/run-repository';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import { toolCallRepository } from '#server/features/chat/shared/tool-call-repository';
import type { CheckBudget } from '#server/features/usage/budgets';
import type { AnswerTools } from '#server/provider/answer-tools';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { OpenKey } from '#server/provider/keys/open-key';
import type { AutomaticSummaries } from './automatic-summaries.ts';
import { readHistory } from './history.ts';

type Dependencies = ThreadKnowledge & {
  db: Kysely<Database>;
  catalogue: Catalogue;
  attachments: AttachmentReader;
  /** The provider's copies of files for code. May call the provider. */
  copies: CodeCopies;
  /** May call the provider. */
  defaultModel: (userId: number) => Promise<string>;
  openKey: OpenKey;
  /** @throws AppError if a budget is used up; `way` says what the user can do about it */
  checkBudget: CheckBudget;
  toolBox: Pick<ToolRegistry, 'offered' | 'offeredOf'>;
  fillInstructions: FillInstructions;
  /** Waits for the summaries of a thread. */
  summariesSettled: AutomaticSummaries['settled'];
};

export type CodeCopies = {
  /** The provider's ids of files. Files that the provider does not have yet are uploaded first. */
  forwarded: (userId: number, fileIds: readonly number[], signal: AbortSignal) => Promise<Map<number, string>>;
  /** Checks which copies the provider still has, so that the others are uploaded again. */
  check: (userId: number) => Promise<void>;
};

type ThreadInput = AnswerInput | ResumedInput;

const maxOfferedTools = 128;
const raiseBudget = 'Raise it in Analytics, and ask for a new answer.';

/** Builds the request of a run from its spec: history, instructions, knowledge and tools. */
export function createRunBuilder(dependencies: Dependencies): BuildRequest {
  return (spec, signal) =>
    spec.input.kind === 'prompt'
      ? buildPrompt(dependencies, spec.userId, spec.input)
      : buildAnswer(dependencies, spec, spec.input, signal);
}

async function buildPrompt(
  { catalogue, knowledgeOf, openKey, fillInstructions }: Dependencies,
  userId: number,
  input: PromptInput,
): Promise<PreparedRequest> {
  const { model, variables, at, temperature, effort, responseSchema, knowledgeOf: assistantId } = input;
  const apiKey = await openKey(userId, model);
  const instructions = variables
    ? await fillInstructions(userId, input.instructions, { model, ...variables }, new Date(at))
    : input.instructions;
  const turns = input.turns.map(({ role, text }) => ({ role, text }));
  const parameters = catalogue.parameters(model, { temperature, effort });
  const knowledge = assistantId === null ? noKnowledge : await knowledgeOf(userId, assistantId);
  const { search, notes } = withoutIndexedFiles(model, knowledge).knowledge ?? knowledge;
  const request = { apiKey, model, instructions, turns, ...parameters, ...responseFormat(responseSchema), search };
  return { request, notes, leftOut: 0, filesLeftOut: 0, fileTokens: 0 };
}

async function buildAnswer(
  dependencies: Dependencies,
  spec: RunSpec,
  input: ThreadInput,
  signal: AbortSignal,
): Promise<PreparedRequest> {
  const { db, catalogue, attachments, copies } = dependencies;
  const { runId, userId, threadId } = spec;
  const target = await loadTarget(dependencies, spec, input);
  const { temperature, effort, schema, knowledge, hosted } = target;
  const { limits, codeFiles = [], ...options } = target.apiRequest ?? {};
  const model = target.model ?? (await storeDefaultModel(dependencies, userId, runId));
  const apiKey = await dependencies.openKey(userId, model);
  const instructions = await filledInstructions(dependencies, userId, target, model);
  // The question is stored; without the summary it is asked as it is.
  if (input.kind === 'answer' && target.summarizes) await dependencies.summariesSettled(userId, threadId, signal);
  const head = input.kind === 'resumed' ? await questionOf(db, spec) : input.head;

  const runsCode = (target.apiRequest?.tools?.codeInterpreter ?? null) !== null;
  const { turns: all, ...history } = await readHistory(
    {
      branches: branchRepository(db),
      messageFiles: messageFileRepository(db),
      attachments,
      catalogue,
      toolCalls: toolCallRepository(db),
    },
    { userId, threadId, head: head.id, depth: head.depth, runsCode },
    model,
    instructions,
    limits,
  );
  const { before: turns, soFar } = input.kind === 'continuation' ? continuedTurns(all) : { before: all };

  const { search } = knowledge;
  const settings = { instructions, temperature, effort, search, hosted, ...responseFormat(schema), ...options };
  const offered = await offeredTools(dependencies, spec, target);
  const buildRequest = async () => {
    const tools = withOfferedTools(await clientTools(copies, userId, target, signal), offered);
    return { apiKey, model, turns, ...settings, tools };
  };
  const prepared: PreparedRequest = { request: await buildRequest(), notes: knowledge.notes, ...history };
  if (soFar) prepared.soFar = soFar;
  if (codeFiles.length > 0)
    prepared.filesAgain = async () => {
      await copies.check(userId);
      return buildRequest();
    };
  // A resumed run has calls to finish even if its tools are no longer offered.
  if (offered.length > 0 || input.kind === 'resumed')
    prepared.loop = toolLoop(dependencies, spec, {
      target: { ...target, model },
      overBudget: input.overBudget,
      offered,
    });
  return prepared;
}

/** Filled in again when a run is resumed: days may have passed. */
async function filledInstructions(
  { fillInstructions }: Dependencies,
  userId: number,
  { instructions, variables }: ChatTarget,
  model: string,
): Promise<string> {
  if (!variables) return instructions;
  const { assistantName, length } = variables;
  const filled = await fillInstructions(userId, instructions.slice(0, length), { model, assistantName });
  return filled + instructions.slice(length);
}

async function loadTarget(
  dependencies: Dependencies,
  { userId, assistantId, threadId }: RunSpec,
  input: ThreadInput,
): Promise<ChatTarget> {
  if (input.kind !== 'resumed') return input.target;
  const thread = await threadRepository(dependencies.db).find(userId, threadId);
  const { target } = input;
  const knowledge = await knowledgeOfThread(dependencies, userId, assistantId, thread?.projectId);
  return { ...target, knowledge, ...withoutIndexedFiles(target.model, knowledge) };
}

async function storeDefaultModel({ db, defaultModel }: Dependencies, userId: number, runId: number): Promise<string> {
  const model = await defaultModel(userId);
  await runRepository(db).setModel(userId, runId, model);
  return model;
}

/** The message that a stored answer follows. */
async function questionOf(db: Kysely<Database>, { userId, messageId }: RunSpec): Promise<BranchHead> {
  const messages = messageRepository(db);
  const answer = await messages.place(userId, messageId);
  if (answer?.parentId === null) return emptyBranch;
  const question = answer?.parentId ? await messages.place(userId, answer.parentId) : undefined;
  if (!question) throw new Error('The question of a run is missing');
  return question;
}

/** The tools that an API client asks for, with the provider's ids of the files for code. */
async function clientTools(
  copies: CodeCopies,
  userId: number,
  { apiRequest }: ChatTarget,
  signal: AbortSignal,
): Promise<AnswerTools | undefined> {
  const { tools, codeFiles = [] } = apiRequest ?? {};
  if (!tools?.codeInterpreter || codeFiles.length === 0) return tools;
  const files = await copies.forwarded(userId, codeFiles, signal);
  return { ...tools, codeInterpreter: { fileIds: [...files.values()] } };
}

/** Connected tools. API runs cannot ask for approval, so they only get tools that need none. */
async function offeredTools(
  { toolBox }: Dependencies,
  { userId, assistantId, apiRunId }: RunSpec,
  { apiRequest, triedTools = [], serversOff = [] }: ChatTarget,
): Promise<OfferedTool[]> {
  const clientFunctions = new Set(apiRequest?.tools?.functions.map(({ name }) => name));
  const offered =
    assistantId === null ? await toolBox.offeredOf(userId, triedTools) : await toolBox.offered(userId, assistantId);
  return offered
    .filter(({ name, serverId }) => !clientFunctions.has(name) && !serversOff.includes(serverId))
    .filter(({ approval }) => apiRunId === null || approval === 'never')
    .slice(0, maxOfferedTools);
}

function withOfferedTools(tools: AnswerTools | undefined, offered: readonly OfferedTool[]): AnswerTools | undefined {
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

function toolLoop(
  { checkBudget, openKey }: Dependencies,
  { userId, assistantId, threadId, apiRunId }: RunSpec,
  { target, overBudget, offered }: { target: ChatTarget; overBudget: boolean; offered: readonly OfferedTool[] },
): ToolLoop {
  const { knowledge: _, ...storedTarget } = target;
  return {
    offered,
    canAsk: apiRunId === null,
    settings: JSON.stringify({ answerer: storedTarget, overBudget } satisfies ToolLoopSettings),
    checkBudget: async () => {
      // A connection that is offered may have been taken back, or used up, while tools were called.
      if (storedTarget.model !== null && connectionIdOf(storedTarget.model) !== null)
        await openKey(userId, storedTarget.model);
      if (!overBudget) await checkBudget(userId, { assistantId, threadId }, raiseBudget);
    },
  };
}
