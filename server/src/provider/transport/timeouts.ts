/** The provider's time limit where a user waits for the result of pressing a button. */
export const pressedMs = 5_000;

/** While a picture is drawn, nothing comes. */
export const drawingMs = 180_000;

/** How long the provider may take for what nobody has pressed a button for. */
export type ProviderTimeouts = {
  /** Until the response begins. */
  beginsMs: number;
  /** Until the first word of an answer: a server of one's own loads the model first, and reads a long conversation. */
  firstTokenMs: number;
  /** Between two packets of a body. */
  silentMs: number;
  /** Until an answer that is passed on, but not streamed, begins: it comes at once when it is whole. */
  wholeMs: number;
  /** A call that concerns a vector store, a search among them. */
  storeMs: number;
  /** A file that code has made, from the request to its last byte. */
  containerFileMs: number;
  /** An answer, from its request to its last byte. */
  answerMs: number;
  /** The same of a response in the background: a model that thinks for long is what that is for. */
  backgroundMs: number;
};

export const defaultProviderTimeouts: ProviderTimeouts = {
  beginsMs: 60_000,
  firstTokenMs: 10 * 60_000,
  silentMs: 60_000,
  // A connection that waits longer is taken for dead.
  wholeMs: 270_000,
  storeMs: 30_000,
  containerFileMs: 2 * 60_000,
  answerMs: 10 * 60_000,
  backgroundMs: 60 * 60_000,
};

/** With the operator's time for the first word; then an answer has its own. */
export const providerTimeouts = ({ firstTokenMs }: Pick<ProviderTimeouts, 'firstTokenMs'>): ProviderTimeouts => ({
  ...defaultProviderTimeouts,
  firstTokenMs,
  answerMs: firstTokenMs + defaultProviderTimeouts.answerMs,
  backgroundMs: firstTokenMs + defaultProviderTimeouts.backgroundMs,
});

/** The provider's seconds since 1970; null where it is no time, or one after the year 2199. */
export function timeOf(seconds: number | null | undefined): string | null {
  if (seconds === null || seconds === undefined || !(seconds > 0) || seconds >= 7_258_118_400) return null;
  return new Date(seconds * 1000).toISOString();
}
