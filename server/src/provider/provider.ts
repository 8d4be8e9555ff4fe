import type { AssistantTools, BuiltInTool } from '@roster/contracts/assistants/tools';
import type { ReasoningEffort } from '@roster/contracts/models/models';
import type { WebLink } from '@roster/contracts/text/web-links';
import type { BilledTool } from '@roster/contracts/usage/usage';
import type { JsonObject } from '#server/lib/is-object';
import type { Secret } from '#server/security/secret';
import type { AnswerTools, ResponseFormat, ToolCall } from './answer-tools.ts';
import type { TokenCounts } from './catalogue/catalogue.ts';
import type { KeyCheck } from './key-check.ts';
import type { RelayCall, RelayedResponse } from './relay.ts';
import type { ProviderContainers } from './resources/containers.ts';
import type { ProviderFiles } from './resources/files.ts';
import type { ProviderFineTuning } from './resources/fine-tuning.ts';
import type { GeneratedFile } from './resources/generated-files.ts';
import type { ProviderModel } from './resources/model-list.ts';
import type { ProviderOrganization } from './resources/organization.ts';
import type { ProviderVectorStores } from './resources/vector-stores.ts';
import type { ResponsesAvailability } from './responses/availability.ts';

export type { ProviderModel };

/** A file of a turn. */
export type TurnFile = {
  filename: string;
  kind: 'image' | 'document' | 'text';
  mediaType: string;
  /** The resolution at which the model sees an image. */
  detail?: TurnImage['detail'];
  /** The text that the model reads instead, if the file is for code only. */
  instead?: string;
  /** Called while the request is made, so that runs hold no bytes; undefined: the file is no longer available. */
  read: () => Promise<Buffer | undefined>;
};

/** An image that the provider fetches itself. */
export type TurnImage = { url: string; detail: 'auto' | 'low' | 'high' };

/** `parts`: the whole content in explicit order, if it is not files first and then text. */
export type ConversationTurn = {
  role: 'user' | 'assistant';
  text: string;
  files?: TurnFile[];
  parts?: (string | TurnFile | TurnImage)[];
  /** The functions that the model called with this text, and their outputs. */
  calls?: { callId: string; name: string; input: string; output: string; echo?: CallEcho | undefined }[];
};

/**
 * Fields that a provider wants back unchanged with a call during its turn: in the message that made it, and in the call
 * itself.
 */
export type CallEcho = { message?: JsonObject | undefined; call?: JsonObject | undefined };

export type AnswerRequest = {
  apiKey: Secret;
  model: string;
  instructions: string;
  turns: ConversationTurn[];
  /** null: not sent. */
  temperature: number | null;
  effort: ReasoningEffort | null;
  topP?: number | null;
  maxOutputTokens?: number | undefined;
  format?: ResponseFormat | undefined;
  /** If the model rejects the format, it answers without it instead of failing. */
  canLeaveFormatOut?: boolean;
  search?: FileSearch | undefined;
  tools?: AnswerTools | undefined;
  /** Functions that the provider rejected in earlier steps of the answer; this step adds its own. */
  refusedFunctions?: Set<string>;
  /** The provider's built-in tools of an assistant; the answer continues without rejected ones. */
  hosted?: AssistantTools | undefined;
  /** Called with true while a request is running: a run stopped between two attempts has cost nothing. */
  onAsking?: (isAwaiting: boolean) => void;
  /** Called for each call of a built-in tool, which the provider bills besides tokens. */
  onToolUsed?: (use: ToolUse) => void;
  /** Called once for each generated file. */
  onMade?: (made: GeneratedFile) => void;
};

/** A call of a built-in tool, by the provider's id. */
export type ToolUse = { tool: BilledTool; callId: string };

/** A file in Roster, which the provider knows by another id. */
export type SearchedFile = { fileId: number; filename: string };

/** The files that the model may search for the answer. */
export type FileSearch = {
  storeIds: readonly string[];
  /** Files by the provider's ids. */
  files: ReadonlyMap<string, SearchedFile>;
  maxResults?: number | undefined;
  ranking?: { ranker?: string | undefined; score_threshold: number } | undefined;
  /** The answer fails if they cannot be searched, instead of continuing without. */
  isNeeded?: boolean;
  /** Called if they could not be searched; the cause is repaired in the background. */
  onRefused: () => void;
};

/** Pieces of an answer while it is generated; those of one network packet come together. */
export type AnswerPiece =
  | { type: 'text' | 'reasoning' | 'note' | 'source'; text: string }
  /** The preceding text cites this Roster file. */
  | { type: 'citation'; fileId: number }
  /** The preceding text cites this web page. */
  | ({ type: 'link' } & WebLink)
  | { type: 'tool'; call: ToolCall; echo?: CallEcho | undefined };

export type AnswerEnd = {
  reason: 'complete' | 'length' | 'content_filter';
  /** null: not reported by the provider. */
  usage: TokenCounts | null;
  /** The service tier that answered; omitted or null: the standard tier. */
  tier?: string | null;
};

/** An assistant or agent as the provider lists it: the fields that Roster imports, and the rest for the notes. */
export type ProviderAssistant = {
  id: string;
  source: 'assistants' | 'agents';
  raw: Record<string, unknown>;
};

type RejectedFields = {
  has: (model: string, field: string, apiKey: Secret) => boolean;
  learn: (model: string, field: string, apiKey: Secret) => Promise<void>;
  works: (model: string, field: string, apiKey: Secret) => Promise<void>;
};

export type Provider = {
  /** Generates an answer. @throws ProviderError or the signal's own reason, nothing else */
  answer: (
    request: AnswerRequest,
    onPieces: (pieces: AnswerPiece[]) => void,
    signal: AbortSignal,
  ) => Promise<AnswerEnd>;
  /** Time limit of an answer from its request to its end. */
  answerMs: number;
  /** Forwards a request unchanged. @throws ProviderError */
  relay: (call: RelayCall) => Promise<RelayedResponse>;
  responses: ResponsesAvailability;
  /** Request fields that a model has rejected, by field name; efforts with their value. */
  refusedFields: RejectedFields;
  /** Why a model is known to lack a built-in tool; null if nothing is known. Sends no request. */
  lacksTool: (model: string, tool: BuiltInTool, apiKey: Secret | undefined) => string | null;
  /** Records that the model has rejected it. */
  toolRefused: (model: string, tool: BuiltInTool, apiKey: Secret) => Promise<void>;
  checkKey: (apiKey: Secret) => Promise<KeyCheck>;
  /** @throws ProviderError */
  models: (apiKey: Secret, withinMs: number) => Promise<ProviderModel[]>;
  /** All that can be imported. @throws ProviderError, `not_served` if the provider has neither list */
  assistants: (apiKey: Secret) => Promise<ProviderAssistant[]>;
  files: ProviderFiles;
  containers: ProviderContainers;
  organization: ProviderOrganization;
  vectorStores: ProviderVectorStores;
  fineTuning: ProviderFineTuning;
  close: () => Promise<void>;
};
