import { tidyName } from '@roster/contracts/text/name';
import { truncate } from '@roster/contracts/text/truncate';
import { z } from 'zod';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { createCallReader } from '#server/provider/answer-tools';
import { toContent } from '#server/provider/content-parts';
import type { AnswerEnd, AnswerPiece, AnswerRequest, ConversationTurn, FileSearch } from '#server/provider/provider';
import { generatedFileReader } from '#server/provider/resources/generated-files';
import { findTier, parseUsage } from '#server/provider/token-counts';
import { ProviderError } from '#server/provider/transport/error';
import { eventJson, notAnAnswer, readEvents } from '#server/provider/transport/event-reader';
import { toStreamError } from '#server/provider/transport/failures';
import type { ProviderHttp } from '#server/provider/transport/http';
import { collectStream, reportWaits } from '#server/provider/transport/stream-collector';
import { createReasoningSplitter } from '#server/provider/transport/think-tags';
import { imageMs } from '#server/provider/transport/timeouts';
import { supportedTools } from '#server/provider/unsupported/tools';
import { createLinkReader } from '#server/provider/web-links';
import { isChatCompletion, noAnswerAtAll } from './availability.ts';
import { callItems, parseToolUse, readToolItem, readToolStart, toolFields } from './tools.ts';

/** Parameters omitted because the provider rejects them, by our own names. */
export type OmittedFields = ReadonlySet<string>;

const messageOf = async (turn: ConversationTurn) => ({
  role: turn.role,
  content: await toContent<Record<string, string>>(
    turn,
    (text) => ({ type: 'input_text', text }),
    (part) =>
      part.type === 'image'
        ? { type: 'input_image', image_url: part.url, detail: part.detail }
        : { type: 'input_file', filename: part.filename, file_data: part.url },
  ),
});

async function inputOf(turn: ConversationTurn) {
  if (!turn.calls) return [await messageOf(turn)];
  return [...(turn.text === '' ? [] : [await messageOf(turn)]), ...callItems(turn)];
}

async function requestBody(request: AnswerRequest, omitted: OmittedFields) {
  const { model, instructions, turns, temperature, effort, topP, maxOutputTokens, search } = request;
  const reasoning = {
    ...(effort && !omitted.has('effort') && { effort }),
    ...(effort && effort !== 'none' && !omitted.has('summary') && { summary: 'auto' }),
  };
  // Without messages the instructions must be sent as input.
  const isInput = turns.length === 0 && instructions !== '';
  return {
    model,
    input: isInput ? [{ role: 'developer', content: instructions }] : (await Promise.all(turns.map(inputOf))).flat(),
    stream: true,
    // The provider stores nothing: the history is ours and is sent with every request.
    ...(!omitted.has('store') && { store: false }),
    ...(instructions && !isInput && { instructions }),
    ...(temperature !== null && !omitted.has('temperature') && { temperature }),
    ...(typeof topP === 'number' && !omitted.has('top_p') && { top_p: topP }),
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...Object.fromEntries(
      Object.entries(
        toolFields({
          ...request,
          hosted: supportedTools(request, omitted),
          search: omitted.has('search') ? undefined : search,
        }),
      ).filter(([name]) => !omitted.has(name)),
    ),
  };
}

/** Events whose content matters; all others are skipped without being parsed. */
const relevant = new Set([
  'response.output_text.delta',
  'response.refusal.delta',
  'response.reasoning_summary_text.delta',
  'response.reasoning_summary_part.added',
  // Open models have no reasoning summaries: all of their reasoning is shown.
  'response.reasoning_text.delta',
  'response.reasoning.delta',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
]);

/** Events with citations and tool calls. */
const relevantToTools = new Set([
  'response.output_text.annotation.added',
  'response.output_item.added',
  'response.output_item.done',
]);

const FileCitation = z.object({
  type: z.literal('file_citation'),
  file_id: z.string(),
  filename: z.string().catch(''),
  index: z.number().int().nonnegative().catch(0),
});
const WithCitations = z.object({ content: z.array(z.object({ annotations: z.array(z.unknown()).catch([]) })) });
const nameLimit = 255;
const citationsLimit = 1_000;

type CitationCallbacks = {
  tell: (name: string) => void;
  cite: (fileId: number) => void;
  /** Receives the other annotations: web pages, and files that code generated. */
  others: (annotation: unknown) => void;
};

/**
 * Reports each cited file once, by its name in Roster or else the provider's; and each citation of a Roster file at the
 * point the text has reached: providers count positions differently, and some not at all.
 */
function citationReader(search: FileSearch | undefined, { tell, cite, others }: CitationCallbacks) {
  const reported = new Set<string>();
  const cited = new Set<string>();
  function one(annotation: unknown) {
    const citation = FileCitation.safeParse(annotation);
    if (!citation.success) return others(annotation);
    const { file_id, filename, index } = citation.data;
    const file = search?.files.get(file_id);
    const place = `${index} ${file_id}`;
    if (file && !cited.has(place) && cited.size < citationsLimit) {
      cited.add(place);
      cite(file.fileId);
    }
    const name = file?.filename ?? truncate(tidyName(filename), nameLimit);
    if (name === '' || reported.has(name)) return;
    reported.add(name);
    tell(name);
  }
  return {
    one,
    /** Some providers send citations only with the finished item. */
    allOf(item: unknown) {
      const parsed = WithCitations.safeParse(item);
      if (parsed.success) for (const { annotations } of parsed.data.content) annotations.forEach(one);
    },
  };
}

/** Turns the events of an answer into its pieces, which go to `onPieces` with each `passOn`. */
function answerReader(request: AnswerRequest, onPieces: (pieces: AnswerPiece[]) => void) {
  const pieces = collectStream(onPieces);
  const calls = createCallReader((call) => pieces.addCall(call));
  const made = generatedFileReader({
    tell: (file) => request.onMade?.(file),
    tooMany: (note) => pieces.add('note', note),
  });
  const link = createLinkReader(pieces.addLink);
  const citations = citationReader(request.search, {
    tell: (name) => pieces.add('source', name),
    cite: pieces.addCitation,
    others(annotation) {
      made.cited(annotation);
      link(annotation);
    },
  });
  const hasTools = request.search !== undefined || request.tools !== undefined || request.hosted !== undefined;
  const tellsCalls = request.tools !== undefined || request.hosted !== undefined || request.search?.isNeeded === true;
  const thoughts = createReasoningSplitter(pieces.add);
  let end: AnswerEnd | undefined;

  return {
    isRelevant: (name: string) => relevant.has(name) || (hasTools && relevantToTools.has(name)),
    /** undefined until the answer has ended. */
    end: () => end,

    take(type: unknown, event: JsonObject) {
      switch (type) {
        case 'response.output_text.delta':
          return typeof event.delta === 'string' ? thoughts.add(event.delta) : undefined;
        case 'response.refusal.delta':
          return pieces.add('text', event.delta);
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
        case 'response.reasoning.delta':
          return pieces.add('reasoning', event.delta);
        case 'response.reasoning_summary_part.added':
          return pieces.add('reasoning', event.summary_index ? '\n\n' : '');
        case 'response.output_text.annotation.added':
          return citations.one(event.annotation);
        case 'response.output_item.done':
          citations.allOf(event.item);
          reportToolUse(request, event.item);
          // A client's answer without tools only names its own files.
          if (tellsCalls) readToolItem({ calls, made }, event.item, request.search);
          return;
        case 'response.output_item.added':
          if (tellsCalls) readToolStart(calls, event.item);
          return;
        case 'response.completed':
        case 'response.incomplete':
          thoughts.end();
          end = endOf(event.response);
          return;
        case 'response.failed':
          throw toStreamError(event.response, request.apiKey);
        case 'error':
          throw toStreamError(event, request.apiKey);
      }
    },

    /** Passes on the pieces of a packet, and ends an answer that is too long. */
    passOn() {
      pieces.passOn();
      if (pieces.isTooLong()) end ??= { reason: 'length', usage: null };
    },

    /** Passes on what is left when nothing more comes. */
    close() {
      thoughts.end();
      pieces.passOn();
    },
  };
}

/** Generates an answer through the Responses API. @throws ProviderError */
export async function generateWithResponses(
  http: ProviderHttp,
  request: AnswerRequest,
  omitted: OmittedFields,
  onPieces: (pieces: AnswerPiece[]) => void,
  signal: AbortSignal,
): Promise<AnswerEnd> {
  let hasWords = false;
  const { body } = await http.sendRequest({
    method: 'POST',
    path: '/responses',
    apiKey: request.apiKey,
    body: await requestBody(request, omitted),
    signal,
    ...(supportedTools(request, omitted)?.imageGeneration && { silentMs: imageMs }),
    awaitsWord: () => !hasWords,
    onWait: reportWaits(onPieces),
    onAsking: request.onAsking,
  });
  let hasEvents = false;
  const answer = answerReader(request, (pieces) => {
    hasWords = true;
    onPieces(pieces);
  });

  try {
    await readEvents(
      body,
      {
        onEvent({ event: name, data }) {
          const isFirst = !hasEvents;
          hasEvents = true;
          if (answer.end() || data === '[DONE]' || (name !== undefined && !answer.isRelevant(name))) return;
          const event = eventJson(data);
          if (isFirst && isChatCompletion(event)) throw noAnswerAtAll();
          answer.take(name ?? event.type, event);
        },
        onWhole(json) {
          const response = eventJson(json);
          if (!Array.isArray(response.output) && response.status !== 'failed') throw notAnAnswer();
          hasEvents = true;
          for (const event of eventsOf(response)) answer.take(event.type, event);
        },
        onPacket: answer.passOn,
        isDone: () => answer.end() !== undefined,
      },
      signal,
    );
  } catch (error) {
    throw hasEvents || signal.aborted || !isBrokenOff(error) ? error : noAnswerAtAll();
  } finally {
    answer.close();
  }
  return answer.end() ?? { reason: 'complete', usage: null };
}

/** The stream ended normally without any content. */
const isBrokenOff = (error: unknown) =>
  error instanceof ProviderError && error.code === 'provider_broke_off' && error.cause === undefined;

const listIn = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);

/** Converts a whole response into the events of a stream. */
function* eventsOf(response: JsonObject): Generator<JsonObject> {
  for (const item of listIn(response.output)) {
    for (const [index, { text }] of listIn(item.summary).entries()) {
      yield { type: 'response.reasoning_summary_part.added', summary_index: index };
      yield { type: 'response.reasoning_summary_text.delta', delta: text };
    }
    for (const { type, text, refusal } of listIn(item.content))
      if (type === 'reasoning_text') yield { type: 'response.reasoning_text.delta', delta: text };
      else if (type === 'refusal') yield { type: 'response.refusal.delta', delta: refusal };
      else yield { type: 'response.output_text.delta', delta: text };
    yield { type: 'response.output_item.done', item };
  }
  yield { type: `response.${response.status ?? 'completed'}`, response };
}

function reportToolUse({ onToolUsed }: AnswerRequest, item: unknown) {
  const use = parseToolUse(item);
  if (use) onToolUsed?.(use);
}

const Final = z
  .object({
    usage: z.unknown().optional(),
    service_tier: z.unknown().optional(),
    incomplete_details: z.object({ reason: z.string().nullish() }).nullish().catch(null),
  })
  .catch({ usage: null, incomplete_details: null });

function endOf(response: unknown): AnswerEnd {
  const { usage, incomplete_details, ...final } = Final.parse(response);
  const cut = incomplete_details?.reason;
  const reason = cut === 'content_filter' ? 'content_filter' : cut ? 'length' : 'complete';
  return { reason, usage: parseUsage(usage), tier: findTier(final) };
}
