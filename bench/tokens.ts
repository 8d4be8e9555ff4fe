import { now } from './clock.ts';

/** The form of a stream: the text before a token's words, and the name of its last event. */
export type Form = { before: string; last: string };

export const providerForm: Form = { before: '"delta":"', last: 'event: response.completed\n' };
export const rosterForm: Form = { before: '"text":"', last: 'event: finished\n' };
/** For the Assistants API: its deltas only, because the message also comes whole. */
export const runForm: Form = {
  before: '"delta":{"content":[{"index":0,"type":"text","text":{"value":"',
  last: 'event: done\n',
};

/** Reads numbered tokens ` t0000` from an event stream, and records when each arrived and what was wrong. */
export class TokenReader {
  /** By the token's number; NaN: never arrived. */
  readonly arrivals: Float64Array;
  readonly onFirst: () => void;
  doubled = 0;
  reordered = 0;
  completed = false;
  readonly #form: Form;
  #rest = '';
  #highest = -1;

  constructor(count: number, form: Form, onFirst: () => void) {
    this.arrivals = new Float64Array(count).fill(Number.NaN);
    this.#form = form;
    this.onFirst = onFirst;
  }

  feed = (chunk: Buffer) => {
    const at = now();
    const text = this.#rest + chunk.toString('latin1');
    const end = text.lastIndexOf('\n\n') + 2;
    if (end === 1) {
      this.#rest = text;
      return;
    }
    this.#rest = text.slice(end);
    const { before, last } = this.#form;
    for (let from = text.indexOf(before); from !== -1 && from < end; from = text.indexOf(before, from))
      from = this.#words(text, from + before.length, at);
    if (text.includes(last)) this.completed = true;
  };

  /** One event may contain several tokens that arrived together. */
  #words(text: string, from: number, at: number): number {
    let place = from;
    for (; text.startsWith(' t', place); place += 6) this.#note(Number(text.slice(place + 2, place + 6)), at);
    return place;
  }

  #note(token: number, at: number) {
    if (token >= this.arrivals.length || !Number.isNaN(this.arrivals[token])) {
      this.doubled++;
      return;
    }
    this.arrivals[token] = at;
    if (token < this.#highest) this.reordered++;
    else this.#highest = token;
    if (token === 0) this.onFirst();
  }

  get lost(): number {
    return this.arrivals.reduce((sum, at) => sum + (Number.isNaN(at) ? 1 : 0), 0);
  }
}

/** The text of a stream with this many tokens. */
export const wordsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ` t${String(index).padStart(4, '0')}`).join('');
