import type { Run } from '@roster/contracts/chat';
import type { ReasoningEffort } from '@roster/contracts/models/models';
import type { OfferedTool } from '#server/conversation/tools';
import type { BranchHead } from '#server/features/chat/shared/branch-repository';
import type { ChatTarget } from '#server/features/chat/shared/chat-target';
import type { RunPlace } from '#server/features/chat/shared/run-repository';
import type { AnswerRequest, ConversationTurn } from '#server/provider/provider';
import type { AbandonedRun } from './claim-repository.ts';

/** A stored run, and what its request to the provider is built from. */
export type RunSpec = RunPlace & { runId: number; input: RunInput };

type RunInput = AnswerInput | ResumedInput | PromptInput;

export type AnswerInput = {
  /** `continuation`: the history ends with the answer so far, and the model is asked for the rest. */
  kind: 'answer' | 'continuation';
  target: ChatTarget;
  /** The last message of the history. */
  head: BranchHead;
  overBudget: boolean;
};

/** Resumed after tool calls, perhaps days later: the knowledge and the head are looked up again. */
export type ResumedInput = { kind: 'resumed'; target: StoredTarget; overBudget: boolean };

/** A prompt of another feature, which brings its own turns. */
export type PromptInput = {
  kind: 'prompt';
  model: string;
  instructions: string;
  /** The assistant whose instructions they are, with variables to fill in; null: they are sent to the letter. */
  variables: { assistantName: string | null } | null;
  /** When it was stored, in ISO form. Variables have the values of this moment, for the model and for a judge. */
  at: string;
  /** The prompt is the last one. */
  turns: readonly { role: 'user' | 'assistant'; text: string }[];
  /** null: the model's own. Omitted if the model is known to accept none. */
  temperature: number | null;
  effort: ReasoningEffort | null;
  /** The text of a JSON schema; null: free text. */
  responseSchema: string | null;
  /** The assistant whose files may be searched; null: none. */
  knowledgeOf: number | null;
};

type StoredTarget = Omit<ChatTarget, 'knowledge'>;

/** Stored as JSON when an answer first calls tools, so that any instance can resume it. */
export type ToolLoopSettings = {
  /** As it was when the answer was requested. */
  answerer: StoredTarget;
  overBudget: boolean;
};
export const readToolLoopSettings = (json: string): ToolLoopSettings => JSON.parse(json);

type NewRun = Omit<AnswerInput, 'kind'> & { userId: number; run: Run; apiRunId?: number };

export const forNewRun = ({ userId, run, apiRunId, ...input }: NewRun): RunSpec => ({
  ...{ runId: run.id, userId, threadId: run.threadId, messageId: run.messageId },
  ...{ assistantId: input.target.assistantId, comparisonId: null, judgingId: null },
  apiRunId: apiRunId ?? null,
  input: { kind: 'answer', ...input },
});

type ContinuedRun = Omit<AnswerInput, 'kind'> & Pick<RunSpec, 'runId' | 'userId' | 'threadId' | 'messageId'>;

/** Continues an answer that has ended; `head` is the answer itself. */
export const forContinuedRun = ({ runId, userId, threadId, messageId, ...input }: ContinuedRun): RunSpec => ({
  ...{ runId, userId, threadId, messageId },
  ...{ assistantId: input.target.assistantId, comparisonId: null, judgingId: null, apiRunId: null },
  input: { kind: 'continuation', ...input },
});

/** `settings`: the tool loop settings that were stored with the run. */
export function forResumedRun(run: AbandonedRun, settings: string): RunSpec {
  const { id: runId, userId, threadId, messageId, assistantId, apiRunId } = run;
  const { answerer: target, overBudget } = readToolLoopSettings(settings);
  return {
    ...{ runId, userId, threadId, messageId, assistantId, apiRunId, comparisonId: null, judgingId: null },
    input: { kind: 'resumed', target, overBudget },
  };
}

/** The request of a run, ready to be sent to the provider. */
export type PreparedRequest = {
  request: AnswerRequest;
  /** Shown before the answer. */
  notes: string[];
  /** Number of the oldest messages that are left out because the model's context is too small. */
  leftOut: number;
  /** Number of attachments that are left out of the messages in the request. */
  filesLeftOut: number;
  /** Estimated tokens of the attachments. */
  fileTokens: number;
  /** For a continuation: the answer so far and the instruction to continue. */
  soFar?: ConversationTurn[];
  /** Builds the request again after the provider has lost a file for code, which is uploaded again. */
  filesAgain?: () => Promise<AnswerRequest>;
  /** Set if the model may call connected tools. */
  loop?: ToolLoop;
};

export type ToolLoop = {
  offered: readonly OfferedTool[];
  /** True if there is a user who can be asked for approval. */
  canAsk: boolean;
  /** ToolLoopSettings as JSON. */
  settings: string;
  /** Called before each step. @throws AppError */
  checkBudget: () => Promise<void>;
};

/** Builds a run's request. Called by the run itself, so a failure ends the run like any other. */
export type BuildRequest = (spec: RunSpec, signal: AbortSignal) => Promise<PreparedRequest>;
