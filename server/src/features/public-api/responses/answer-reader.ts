import type { JsonObject } from '#server/lib/is-object';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import type { StoredItem } from './items.ts';

/** How the provider ended an answer. */
export type Ending = {
  status: 'completed' | 'incomplete' | 'failed';
  /** The provider's response, as far as there is one. */
  of: JsonObject;
  output: StoredItem[];
  usage: TokenCounts | null;
};

/** Reads the provider's events, and writes what the client receives. */
export type AnswerReader = {
  /** @throws ProviderError */
  event: (name: string | undefined, data: string) => void;
  /** Reads the JSON of an answer that was not streamed. */
  whole: (json: string) => void;
  /** The stream was closed, or has broken off. */
  closed?: () => void;
  /** Returns the frames since the last call. */
  taken: () => string;
  ending: () => Ending | undefined;
  /** `tier`: the service tier, if known before the end. */
  soFar: () => { output: StoredItem[]; deltas: number; tier?: string | null };
};

/** Its events are numbered, in order. */
export type NumberedReader = AnswerReader & { nextNumber: () => number };
