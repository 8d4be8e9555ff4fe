/** The provider's time limit while a user waits for the result of a button. */
export const interactiveMs = 5_000;

/** While an image is generated, nothing arrives. */
export const imageMs = 180_000;

/** The provider's time limits in the background. */
export type ProviderTimeouts = {
  /** Until the response starts. */
  beginsMs: number;
  /** Until the first text of an answer: a local server first loads the model and reads a long thread. */
  firstTokenMs: number;
  /** Between two packets of a body. */
  silentMs: number;
  /** Until a forwarded answer without streaming starts: it arrives whole. */
  wholeMs: number;
  /** For a request about a vector store, including searches. */
  storeMs: number;
  /** For a generated file, from the request to its last byte. */
  containerFileMs: number;
  /** For an answer, from its request to its last byte. */
  answerMs: number;
  /** The same for a background response, whose purpose is long reasoning. */
  backgroundMs: number;
};

export const defaultProviderTimeouts: ProviderTimeouts = {
  beginsMs: 60_000,
  firstTokenMs: 10 * 60_000,
  silentMs: 60_000,
  // Connections that wait longer are considered dead.
  wholeMs: 270_000,
  storeMs: 30_000,
  containerFileMs: 2 * 60_000,
  answerMs: 10 * 60_000,
  backgroundMs: 60 * 60_000,
};

/** Applies the operator's limit for the first token; from then on the other limits apply. */
export const providerTimeouts = ({ firstTokenMs }: Pick<ProviderTimeouts, 'firstTokenMs'>): ProviderTimeouts => ({
  ...defaultProviderTimeouts,
  firstTokenMs,
  answerMs: firstTokenMs + defaultProviderTimeouts.answerMs,
  backgroundMs: firstTokenMs + defaultProviderTimeouts.backgroundMs,
});

/** Converts the provider's Unix seconds; null if not a time, or after the year 2199. */
export function toIsoTime(seconds: number | null | undefined): string | null {
  if (seconds === null || seconds === undefined || !(seconds > 0) || seconds >= 7_258_118_400) return null;
  return new Date(seconds * 1000).toISOString();
}
