import type { Drawing } from '../responses/pictures.ts';
import type { Fault } from './fault.ts';

/** `[[call]]`, `[[call 2]]` for two rounds, `[[call get_weather get_time]]`: the calls that a message asks for. */
type CallWish = { names: readonly string[]; rounds: number };

/** Directives that a user writes into a message as `[[words]]` to get an answer of a certain kind. */
export type AnswerWish = {
  /** An answer of this many tokens. */
  tokens?: number;
  /** This many numbered tokens, each with the time it was sent. */
  bench?: number;
  hostile?: boolean;
  refusal?: boolean;
  /** Reasons even if that was not asked for. */
  reasoning?: boolean;
  /** Calls functions. */
  call?: CallWish;
  /** Says a sentence before it calls functions. */
  saying?: boolean;
  /** Calls a function of this name, which does not exist. */
  invented?: string;
  /** Calls functions with broken JSON, with this many thousand characters, or with numbers that JavaScript rounds. */
  badArguments?: 'broken' | 'digits' | number;
  /** Repeats this many tokens when asked to continue its answer. */
  repeated?: number;
  /** Runs code. */
  code?: boolean;
  /** Searches the web. */
  web?: boolean;
  /** Draws an image. */
  picture?: Drawing;
  /** Rejects a request with one of these tools. */
  refusedTools?: readonly string[];
  /** Lets the code generate these files. */
  make?: readonly string[];
  /** The number of items in the lists of a structured answer. */
  rows?: number;
  /** An answer that does not match its schema. */
  invalid?: boolean;
  /** The verdict on two answers; by default by length. */
  judging?: 'first' | 'second' | 'tie' | 'unreadable' | 'words';
};

export type Directives = { fault: Fault; wish: AnswerWish; once: boolean };

const SLOW_START_MS = 3_000;
const SLOW_TOKEN_MS = 150;

/** `numbers` are those in the directive, in order: `[[drop after 5]]` gives `[5]`; `words` are all of them. */
type Reading = (numbers: readonly number[], words: readonly string[]) => { fault?: Fault; wish?: AnswerWish };

const numbered = (count: number) => Array.from({ length: Math.min(count, 100) }, (_, index) => `file-${index + 1}.txt`);

const READINGS: { [word: string]: Reading } = {
  slow: ([seconds]) => ({
    fault: { delayMs: seconds === undefined ? SLOW_START_MS : seconds * 1_000, tokenDelayMs: SLOW_TOKEN_MS },
  }),
  delay: ([ms]) => ({ fault: { tokenDelayMs: ms ?? SLOW_TOKEN_MS } }),
  hang: ([after]) => ({ fault: after === undefined ? { hang: true } : { hangAfter: after } }),
  disconnect: () => ({ fault: { disconnect: true } }),
  drop: ([after]) => ({ fault: { dropAfter: after ?? 5 } }),
  malformed: ([after]) => ({ fault: { malformedAfter: after ?? 3 } }),
  unknown: () => ({ fault: { unknownEvents: true } }),
  fragments: () => ({ fault: { fragments: true } }),
  error: ([after]) => ({ fault: { errorAfter: after ?? 5 } }),
  failed: ([after]) => ({ fault: { failedAfter: after ?? 5 } }),
  fail: ([status]) => ({ fault: { status: status ?? 500 } }),
  html: () => ({ fault: { fail: 'html' } }),
  '401': () => ({ fault: { fail: 'invalid_api_key' } }),
  '403': () => ({ fault: { fail: 'forbidden' } }),
  '404': () => ({ fault: { fail: 'model_not_found' } }),
  '429': ([retryAfter]) => ({ fault: { fail: 'rate_limit', retryAfter: retryAfter ?? 1 } }),
  '500': () => ({ fault: { fail: 'server_error' } }),
  '503': () => ({ fault: { fail: 'overloaded' } }),
  quota: () => ({ fault: { fail: 'insufficient_quota' } }),
  context: () => ({ fault: { fail: 'context_length_exceeded' } }),
  unsupported_format: () => ({ fault: { fail: 'unsupported_format' } }),
  unsupported_temperature: () => ({ fault: { fail: 'unsupported_temperature' } }),
  incomplete: ([after]) => ({
    fault: { incomplete: 'max_output_tokens', ...(after === undefined ? {} : { incompleteAfter: after }) },
  }),
  filter: ([after]) => ({ fault: { incomplete: 'content_filter', incompleteAfter: after ?? 10 } }),
  tokens: ([count]) => ({ wish: { tokens: count ?? 2_000 } }),
  bench: ([count]) => ({ wish: { bench: count ?? 400 } }),
  hostile: () => ({ wish: { hostile: true } }),
  refusal: () => ({ wish: { refusal: true } }),
  reasoning: () => ({ wish: { reasoning: true } }),
  call: ([rounds], names) => ({ wish: { call: { names, rounds: rounds ?? 1 } } }),
  saying: () => ({ wish: { saying: true } }),
  invent: (_, [name = 'nothing']) => ({ wish: { invented: name } }),
  arguments: ([thousands], words) => ({
    wish: { badArguments: thousands ?? (words.includes('digits') ? 'digits' : 'broken') },
  }),
  repeat: ([tokens]) => ({ wish: { repeated: tokens ?? 5 } }),
  web: () => ({ wish: { web: true } }),
  picture: (_, [how]) => ({ wish: { picture: how === 'failed' || how === 'broken' ? how : 'drawn' } }),
  no: (_, types) => ({ wish: { refusedTools: types } }),
  code: () => ({ wish: { code: true } }),
  make: ([count], names) => ({ wish: { code: true, make: count === undefined ? names : numbered(count) } }),
  rows: ([count]) => ({ wish: { rows: Math.min(count ?? 2, 20_000) } }),
  invalid: () => ({ wish: { invalid: true } }),
  judge: (_, [how]) => ({
    wish:
      how === 'first' || how === 'second' || how === 'tie' || how === 'unreadable' || how === 'words'
        ? { judging: how }
        : {},
  }),
};

const DIRECTIVE = /\[\[([^[\]]{1,80})\]\]/g;

export function withoutDirectives(text: string): string {
  return text.replaceAll(DIRECTIVE, ' ').trim();
}

export function parseDirectives(text: string): Directives {
  const found: Directives = { fault: {}, wish: {}, once: false };
  for (const [, inside = ''] of text.matchAll(DIRECTIVE)) {
    const words = inside.trim().toLowerCase().split(/\s+/);
    const [name = '', ...rest] = words;
    const reading = Object.hasOwn(READINGS, name) ? READINGS[name] : undefined;
    if (reading === undefined) continue;
    const numbers = rest.map(Number).filter((number) => Number.isFinite(number) && number >= 0);
    const { fault, wish } = reading(numbers, rest);
    Object.assign(found.fault, fault);
    Object.assign(found.wish, wish);
    found.once ||= rest.includes('once');
  }
  return found;
}
