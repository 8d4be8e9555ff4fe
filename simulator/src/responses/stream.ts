import type { Container } from '../containers/containers.ts';
import type { Fault } from '../faults/fault.ts';
import type { Call } from '../generation/calls.ts';
import type { EventStream } from '../generation/event-stream.ts';
import { pace } from '../generation/pacing.ts';
import type { Plan } from '../generation/plan.ts';
import type { WebPage } from '../generation/script.ts';
import { type AnswerOutcome, preciseNow, sendAnswer } from '../generation/send-answer.ts';
import { tokensOf } from '../generation/tokens.ts';
import type { JsonObject } from '../http/fields.ts';
import type { JournalEntry } from '../http/journal.ts';
import { newId } from '../state/identifiers.ts';
import type { SearchResult } from '../vector-stores/search.ts';
import { pictureItem } from './pictures.ts';
import {
  callItem,
  citations,
  citedAfter,
  codeItem,
  contentPart,
  madeCitations,
  messageItem,
  reasoningItem,
  searchItem,
} from './response-object.ts';

/** The results of every search. */
const pages = [
  { url: 'https://example.org/first', title: 'The first page' },
  { url: 'https://example.com/second?page=2', title: '' },
];

function webItem(
  id: string,
  status: 'in_progress' | 'completed',
  query: string,
  found: readonly WebPage[] | null,
): JsonObject {
  const sources = status === 'completed' ? (found ?? pages).map(({ url }) => ({ type: 'url', url })) : undefined;
  return { id, type: 'web_search_call', status, action: { type: 'search', query, queries: [query], sources } };
}

/** Citations of the pages: the first in the middle of the text, both at its end. */
function webCitations(tokens: readonly string[], found: readonly WebPage[] | null): JsonObject[] {
  const [first, second = first] = found ?? pages;
  const end = tokens.join('').length;
  const middle = tokens.slice(0, citedAfter(tokens)).join('').length;
  return [
    { type: 'url_citation', ...first, start_index: 0, end_index: middle },
    { type: 'url_citation', ...second, start_index: middle, end_index: end },
    { type: 'url_citation', ...first, start_index: middle, end_index: end },
  ];
}

export type Search = { query: string; results: readonly SearchResult[]; shown: boolean };

type Streaming = {
  stream: EventStream;
  entry: JournalEntry;
  base: JsonObject;
  plan: Plan;
  search: Search | null;
  /** The container of the code. */
  container: Container | null;
  fault: Fault;
  delayMs: number;
};

/** Writes the events of one response, counting them. */
export class ResponseEvents {
  readonly #streaming: Streaming;
  readonly output: JsonObject[] = [];
  #sequence = 0;

  constructor(streaming: Streaming) {
    this.#streaming = streaming;
  }

  send(type: string, fields: JsonObject): void {
    const data = JSON.stringify({ type, ...fields, sequence_number: this.#sequence++ });
    this.#streaming.stream.write(`event: ${type}\ndata: ${data}\n\n`);
  }

  /** The most frequent event: everything but the token and its number is built once. */
  #deltaSender(type: string, place: JsonObject, extra: JsonObject): (token: string) => void {
    const { stream, plan } = this.#streaming;
    const start = `event: ${type}\ndata: ${JSON.stringify({ type, ...place, ...extra }).slice(0, -1)},"delta":`;
    return (token) => {
      const stamp = plan.stamped ? `,"sent_at":${preciseNow()}` : '';
      stream.write(`${start}${JSON.stringify(token)},"sequence_number":${this.#sequence++}${stamp}}\n\n`);
    };
  }

  begin(): void {
    const { base } = this.#streaming;
    this.send('response.created', { response: base });
    this.send('response.in_progress', { response: base });
  }

  async reason(summary: readonly string[]): Promise<void> {
    const { stream, delayMs } = this.#streaming;
    const id = newId('rs_');
    const index = this.output.length;
    this.send('response.output_item.added', { output_index: index, item: reasoningItem(id, []) });
    for (const [part, text] of summary.entries()) {
      const place = { item_id: id, output_index: index, summary_index: part };
      this.send('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } });
      const delta = this.#deltaSender('response.reasoning_summary_text.delta', place, {});
      const tokens = tokensOf(text);
      await pace({
        count: tokens.length,
        delayMs,
        signal: stream.signal,
        pressed: stream.pressed,
        send(token) {
          delta(tokens[token] ?? '');
          return true;
        },
      });
      this.send('response.reasoning_summary_text.done', { ...place, text });
      this.send('response.reasoning_summary_part.done', { ...place, part: { type: 'summary_text', text } });
    }
    this.#itemDone(index, reasoningItem(id, summary));
  }

  search({ query, results, shown }: Search): void {
    const id = newId('fs_');
    const index = this.output.length;
    const place = { output_index: index, item_id: id };
    this.send('response.output_item.added', {
      output_index: index,
      item: searchItem(id, 'in_progress', query, null),
    });
    this.send('response.file_search_call.in_progress', place);
    this.send('response.file_search_call.searching', place);
    this.send('response.file_search_call.completed', place);
    this.#itemDone(index, searchItem(id, 'completed', query, shown ? results : null));
  }

  searchWeb(query: string): void {
    const id = newId('ws_');
    const index = this.output.length;
    const place = { output_index: index, item_id: id };
    this.send('response.output_item.added', { output_index: index, item: webItem(id, 'in_progress', query, null) });
    for (const step of ['in_progress', 'searching', 'completed']) this.send(`response.web_search_call.${step}`, place);
    this.#itemDone(index, webItem(id, 'completed', query, this.#streaming.plan.webPages));
  }

  drawPicture(picture: NonNullable<Plan['picture']>): void {
    const id = newId('ig_');
    const index = this.output.length;
    const place = { output_index: index, item_id: id };
    this.send('response.output_item.added', { output_index: index, item: pictureItem(id, null) });
    for (const step of ['in_progress', 'generating', 'completed'])
      this.send(`response.image_generation_call.${step}`, place);
    this.#itemDone(index, pictureItem(id, picture));
  }

  runCode(code: string, container: Container, shown: boolean): void {
    const id = newId('ci_');
    const index = this.output.length;
    const place = { output_index: index, item_id: id };
    this.send('response.output_item.added', {
      output_index: index,
      item: codeItem(id, container, { code: '', logs: null }, false, 'in_progress'),
    });
    this.send('response.code_interpreter_call.in_progress', place);
    this.send('response.code_interpreter_call_code.delta', { ...place, delta: code });
    this.send('response.code_interpreter_call_code.done', { ...place, code });
    this.send('response.code_interpreter_call.interpreting', place);
    this.send('response.code_interpreter_call.completed', place);
    this.#itemDone(index, codeItem(id, container, { code, logs: this.#streaming.plan.logs }, shown, 'completed'));
  }

  call({ name, arguments: given }: Call): void {
    const [id, callId] = [newId('fc_'), newId('call_')];
    const index = this.output.length;
    const place = { output_index: index, item_id: id };
    this.send('response.output_item.added', {
      output_index: index,
      item: callItem(id, callId, name, '', 'in_progress'),
    });
    for (const delta of tokensOf(given)) this.send('response.function_call_arguments.delta', { ...place, delta });
    this.send('response.function_call_arguments.done', { ...place, name, arguments: given });
    this.#itemDone(index, callItem(id, callId, name, given, 'completed'));
  }

  async message(): Promise<AnswerOutcome> {
    const { stream, entry, plan, search, container, fault, delayMs } = this.#streaming;
    const id = newId('msg_');
    const index = this.output.length;
    const place = { item_id: id, output_index: index, content_index: 0 };
    this.send('response.output_item.added', {
      output_index: index,
      item: messageItem(id, 'in_progress', []),
    });
    this.send('response.content_part.added', { ...place, part: contentPart(plan.kind, '', []) });

    const found = foundFor(plan, search);
    const annotations = [...found, ...madeCitations(container, plan.tokens.join(''))];
    const cited = Math.min(1, found.length);
    const tellCitations = (from: number, to: number) => {
      for (const [at, annotation] of annotations.slice(from, to).entries())
        this.send('response.output_text.annotation.added', { ...place, annotation_index: from + at, annotation });
    };
    const name = plan.kind === 'refusal' ? 'response.refusal' : 'response.output_text';
    const delta = this.#deltaSender(`${name}.delta`, place, plan.kind === 'refusal' ? {} : { logprobs: [] });
    const ended = await sendAnswer({
      stream,
      entry,
      count: plan.tokens.length,
      delayMs,
      fault,
      send(token) {
        delta(plan.tokens[token] ?? '');
        if (token + 1 === citedAfter(plan.tokens)) tellCitations(0, cited);
      },
      malformed: () => stream.write(`event: ${name}.delta\ndata: {"type":"${name}.delta","delta":"brok\n\n`),
      unknown: () => this.send('response.daydream.delta', { ...place, daydream: 'Clients ignore this.' }),
    });
    const text = plan.tokens.slice(0, entry.tokens).join('');
    if (ended !== 'said') {
      this.output.push(messageItem(id, 'incomplete', [contentPart(plan.kind, text, [])]));
      return ended;
    }

    tellCitations(cited, annotations.length);
    const part = contentPart(plan.kind, text, annotations);
    if (plan.kind === 'refusal') this.send('response.refusal.done', { ...place, refusal: text });
    else this.send('response.output_text.done', { ...place, text, logprobs: [] });
    this.send('response.content_part.done', { ...place, part });
    this.#itemDone(index, messageItem(id, plan.ending === 'completed' ? 'completed' : 'incomplete', [part]));
    return 'said';
  }

  #itemDone(index: number, item: JsonObject): void {
    this.output.push(item);
    this.send('response.output_item.done', { output_index: index, item });
  }
}

/** The citations of the text, in order of position. */
function foundFor(plan: Plan, search: Search | null): JsonObject[] {
  if (plan.kind !== 'text') return [];
  if (plan.webQuery !== null) return webCitations(plan.tokens, plan.webPages);
  return search === null ? [] : citations(search.results, plan.tokens);
}

type Whole = { plan: Plan; search: Search | null; container: Container | null; showsCode: boolean };

/** The same items without a stream. */
export function wholeOutput({ plan, search, container, showsCode }: Whole): JsonObject[] {
  const text = plan.tokens.join('');
  const output: JsonObject[] = [];
  if (plan.summary !== null) output.push(reasoningItem(newId('rs_'), plan.summary));
  if (search !== null) {
    output.push(searchItem(newId('fs_'), 'completed', search.query, search.shown ? search.results : null));
  }
  if (plan.webQuery !== null) output.push(webItem(newId('ws_'), 'completed', plan.webQuery, plan.webPages));
  if (plan.picture !== null) output.push(pictureItem(newId('ig_'), plan.picture));
  if (plan.code !== null && container !== null)
    output.push(codeItem(newId('ci_'), container, { code: plan.code, logs: plan.logs }, showsCode, 'completed'));
  if (plan.calls.length > 0) {
    return [
      ...output,
      ...plan.calls.map((call) => callItem(newId('fc_'), newId('call_'), call.name, call.arguments, 'completed')),
    ];
  }
  const found = foundFor(plan, search);
  const status = plan.ending === 'completed' ? 'completed' : 'incomplete';
  const part = contentPart(plan.kind, text, [...found, ...madeCitations(container, text)]);
  output.push(messageItem(newId('msg_'), status, [part]));
  return output;
}
