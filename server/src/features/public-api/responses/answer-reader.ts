import type { JsonObject } from '#server/lib/is-object';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import type { StoredItem } from './items.ts';

/** What the provider says at the end of an answer. */
export type Ending = {
  status: 'completed' | 'incomplete' | 'failed';
  /** The provider's response, as far as it has one. */
  of: JsonObject;
  output: StoredItem[];
  usage: TokenCounts | null;
};

/** Reads what the provider says, event by event, and makes what its program reads of it. */
export type AnswerReader = {
  /** @throws ProviderError */
  event: (name: string | undefined, data: string) => void;
  /** The JSON of an answer that came at once. */
  whole: (json: string) => void;
  /** The provider has closed the stream, or it has broken off. */
  closed?: () => void;
  /** The frames since the last time. */
  taken: () => string;
  ending: () => Ending | undefined;
  /** `tier`: the service tier that answers, where that is known before the end. */
  soFar: () => { output: StoredItem[]; deltas: number; tier?: string | null };
};

/** The events have numbers, in their order. */
export type NumberedReader = AnswerReader & { nextNumber: () => number };
