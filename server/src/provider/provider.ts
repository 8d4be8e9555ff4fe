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

/** A file that goes along with a turn. */
export type TurnFile = {
  filename: string;
  kind: 'image' | 'document' | 'text';
  mediaType: string;
  /** How closely an image is looked at. */
  detail?: TurnImage['detail'];
  /** What the model reads in its place, where it is for code alone. */
  instead?: string;
  /** Called while the request is made, so that no run holds bytes; undefined: it is not to be had any more. */
  read: () => Promise<Buffer | undefined>;
};

/** An image that the provider fetches itself. */
export type TurnImage = { url: string; detail: 'auto' | 'low' | 'high' };

/** `parts`: all of it in an order of its own, where it does not go by files first and then the words. */
export type ConversationTurn = {
  role: 'user' | 'assistant';
  text: string;
  files?: TurnFile[];
  parts?: (string | TurnFile | TurnImage)[];
  /** The functions that the model called with these words, each with what it was answered. */
  calls?: { callId: string; name: string; input: string; output: string; echo?: CallEcho | undefined }[];
};

/**
 * Fields that a provider wants back with a call while its turn lasts, as it sent them: in the message that made it, and in the
 * call itself.
 */
export type CallEcho = { message?: JsonObject | undefined; call?: JsonObject | undefined };

export type AnswerRequest = {
  apiKey: Secret;
  model: string;
  instructions: string;
  turns: ConversationTurn[];
  /** Left out where it is null. */
  temperature: number | null;
  effort: ReasoningEffort | null;
  topP?: number | null;
  maxOutputTokens?: number | undefined;
  format?: ResponseFormat | undefined;
  /** An answer comes in no form where the model refuses it, instead of not at all. */
  canLeaveFormatOut?: boolean;
  search?: FileSearch | undefined;
  tools?: AnswerTools | undefined;
  /** The functions that the provider has refused in an earlier step of the same answer; those of this one are added. */
  refusedFunctions?: Set<string>;
  /** What the provider runs itself, as an assistant has it; an answer goes on without what is refused. */
  hosted?: AssistantTools | undefined;
  /** Told whether a request is under way: a run that is stopped between two attempts has cost nothing. */
  onAsking?: (isAsked: boolean) => void;
  /** Told of each call of a tool that the provider has run, and bills beside tokens. */
  onToolUsed?: (use: ToolUse) => void;
  /** Told of each file that a tool has made for the answer, once. */
  onMade?: (made: GeneratedFile) => void;
};

/** A call of a tool that the provider has run, by its own id. */
export type ToolUse = { tool: BilledTool; callId: string };

/** A file of Roster's, which the provider knows by another id. */
export type SearchedFile = { fileId: number; filename: string };

/** The files that the model may search while it answers. */
export type FileSearch = {
  storeIds: readonly string[];
  /** What is found in them, by the ids that the provider has for it. */
  files: ReadonlyMap<string, SearchedFile>;
  maxResults?: number | undefined;
  ranking?: { ranker?: string | undefined; score_threshold: number } | undefined;
  /** The answer fails where they cannot be searched, instead of coming without. */
  isNeeded?: boolean;
  /** Called where they could not be searched: the cause is found and repaired beside the answer. */
  onRefused: () => void;
};

/** Pieces of an answer while it is written; those of one network packet come together. */
export type AnswerPiece =
  | { type: 'text' | 'reasoning' | 'note' | 'source'; text: string }
  /** What was said last is taken from this file of Roster's. */
  | { type: 'citation'; fileId: number }
  /** What was said last is taken from this page of the web. */
  | ({ type: 'link' } & WebLink)
  | { type: 'tool'; call: ToolCall; echo?: CallEcho | undefined };

export type AnswerEnd = {
  reason: 'complete' | 'length' | 'content_filter';
  /** null: the provider did not say. */
  usage: TokenCounts | null;
  /** The service tier that answered; left out or null: the standard one. */
  tier?: string | null;
};

/** An assistant or agent as the provider lists it; the fields that Roster takes along, and the rest for the notes. */
export type ProviderAssistant = {
  id: string;
  source: 'assistants' | 'agents';
  raw: Record<string, unknown>;
};

export type RefusedFields = {
  has: (model: string, field: string, apiKey: Secret) => boolean;
  learn: (model: string, field: string, apiKey: Secret) => Promise<void>;
  works: (model: string, field: string, apiKey: Secret) => Promise<void>;
};

export type Provider = {
  /** Writes an answer. @throws ProviderError; nothing is thrown that is not one, except the signal's own reason. */
  answer: (
    request: AnswerRequest,
    onPieces: (pieces: AnswerPiece[]) => void,
    signal: AbortSignal,
  ) => Promise<AnswerEnd>;
  /** So long an answer may take, from its request to its last word. */
  answerMs: number;
  /** Passes a request on as it is. @throws ProviderError */
  relay: (call: RelayCall) => Promise<RelayedResponse>;
  responses: ResponsesAvailability;
  /** Fields of requests that a model has refused, as traits remember them: by the field's name, of an effort with its value. */
  refusedFields: RefusedFields;
  /** Why a model is known not to have a tool that the provider runs; null: nothing speaks against it. Nobody is asked. */
  lacksTool: (model: string, tool: BuiltInTool, apiKey: Secret | undefined) => string | null;
  /** The model has refused it. */
  toolRefused: (model: string, tool: BuiltInTool, apiKey: Secret) => Promise<void>;
  checkKey: (apiKey: Secret) => Promise<KeyCheck>;
  /** @throws ProviderError */
  models: (apiKey: Secret, withinMs: number) => Promise<ProviderModel[]>;
  /** All that can be imported. @throws ProviderError, `not_served` where the provider has neither list */
  assistants: (apiKey: Secret) => Promise<ProviderAssistant[]>;
  files: ProviderFiles;
  containers: ProviderContainers;
  organization: ProviderOrganization;
  vectorStores: ProviderVectorStores;
  fineTuning: ProviderFineTuning;
  close: () => Promise<void>;
};
