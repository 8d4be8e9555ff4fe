import type { RunError } from '@roster/contracts/errors';
import type { ReasoningEffort } from '@roster/contracts/models';
import type { Secret } from '../security/secret.ts';
import type { TokenCounts } from './catalogue.ts';
import type { ProviderFiles } from './files.ts';
import type { ProviderFineTuning } from './fine-tuning.ts';
import type { ProviderOrganization } from './organization.ts';
import type { ProviderVectorStores } from './vector-stores.ts';

/** How long the provider has for what somebody waits for who has pressed a button. */
export const pressedMs = 5_000;

/** A failure of a call to the provider, in our own closed list of codes; the message may quote the provider's words. */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly code: RunError['code'] | 'not_served' | 'store_gone' | 'training_not_available';
  /** The HTTP status the provider answered, where it answered. */
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The request parameter that the provider names. */
  readonly param: string | undefined;
  /** The provider's own code of the failure, where it has one. */
  readonly providerCode: string | undefined;
  /** What the provider calls this request, for its support. */
  readonly requestId: string | undefined;
  constructor(
    code: ProviderError['code'],
    message: string,
    details: ErrorOptions & {
      status?: number | undefined;
      retryAfterSeconds?: number | undefined;
      param?: string | undefined;
      providerCode?: string | undefined;
      requestId?: string | undefined;
    } = {},
  ) {
    super(message, details);
    this.code = code;
    this.status = details.status;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.param = details.param;
    this.providerCode = details.providerCode;
    this.requestId = details.requestId;
  }
}

/** A file that goes along with a turn. */
export type TurnFile = {
  filename: string;
  kind: 'image' | 'document' | 'text';
  mediaType: string;
  /** Called while the request is made, so that no run holds bytes; undefined: it is not to be had any more. */
  read: () => Promise<Buffer | undefined>;
};

export type ConversationTurn = { role: 'user' | 'assistant'; text: string; files?: TurnFile[] };

export type AnswerRequest = {
  apiKey: Secret;
  model: string;
  instructions: string;
  turns: ConversationTurn[];
  /** Left out where it is null. */
  temperature: number | null;
  effort: ReasoningEffort | null;
  maxOutputTokens?: number;
  search?: FileSearch | undefined;
  /** Told whether the provider is at work: what is stopped between two tries has cost nothing. */
  onAsking?: (isAsked: boolean) => void;
};

/** The files that the model may search while it answers. */
export type FileSearch = {
  storeId: string;
  /** What they are called, by their ids at the provider. */
  names: ReadonlyMap<string, string>;
  /** Called where they could not be searched: what is wrong is found out and mended beside the answer. */
  onRefused: () => void;
};

/** What arrives while an answer is written; several pieces of one network packet come together. */
export type AnswerPiece = { type: 'text' | 'reasoning' | 'note' | 'source'; text: string };

export type AnswerEnd = {
  reason: 'complete' | 'length' | 'content_filter';
  /** null: the provider did not say. */
  usage: TokenCounts | null;
};

export type KeyCheck =
  | { result: 'works' }
  /** The key is good, but not for listing models. */
  | { result: 'limited'; notice: string }
  | { result: 'rejected'; notice: string }
  | { result: 'unreachable'; notice: string };

export type ProviderModel = {
  id: string;
  shutdownDate: string | null;
  /** Whether it can hold a conversation; null: the provider does not say. */
  chats: boolean | null;
};

/** An assistant or agent as the provider lists it; the fields that Roster takes along, and the rest for the notes. */
export type ProviderAssistant = {
  id: string;
  source: 'assistants' | 'agents';
  raw: Record<string, unknown>;
};

export type Provider = {
  /** Writes an answer. @throws ProviderError; nothing is thrown that is not one, except the signal's own reason. */
  answer: (
    request: AnswerRequest,
    onPieces: (pieces: AnswerPiece[]) => void,
    signal: AbortSignal,
  ) => Promise<AnswerEnd>;
  checkKey: (apiKey: Secret) => Promise<KeyCheck>;
  /** @throws ProviderError */
  models: (apiKey: Secret, withinMs: number) => Promise<ProviderModel[]>;
  /** All that can be imported. @throws ProviderError, `not_served` where the provider has neither list */
  assistants: (apiKey: Secret) => Promise<ProviderAssistant[]>;
  files: ProviderFiles;
  organization: ProviderOrganization;
  vectorStores: ProviderVectorStores;
  fineTuning: ProviderFineTuning;
  close: () => Promise<void>;
};
