import { randomBytes } from 'node:crypto';
import { estimatePiece } from '#server/conversation/token-estimate';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';

type Call = { id: string; type: 'function'; function: { name: string; arguments: string } };

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0);

const frameOf = (chunk: JsonObject) => `data: ${JSON.stringify(chunk)}\n\n`;

const usageObject = (counts: TokenCounts) => ({
  prompt_tokens: counts.inputTokens,
  completion_tokens: counts.outputTokens,
  total_tokens: counts.inputTokens + counts.outputTokens,
  prompt_tokens_details: { cached_tokens: counts.cachedTokens },
  completion_tokens_details: { reasoning_tokens: counts.reasoningTokens },
});

/** A link to a web page. Chat Completions have no form for other citations. */
function linkOf(annotation: unknown, from: number): JsonObject | undefined {
  if (!isObject(annotation) || annotation.type !== 'url_citation') return undefined;
  const { url, title, start_index: start, end_index: end } = annotation;
  const place = { start_index: from + numberOf(start), end_index: from + numberOf(end) };
  return { type: 'url_citation', url_citation: { url: text(url), title: text(title), ...place } };
}

const messageOf = (part: string) => part.split(' ', 1)[0];

const choiceOf = (delta: JsonObject, finish: string | null) => [
  { index: 0, delta, logprobs: null, finish_reason: finish },
];

/** Writes an answer as chunks of a chat completion, and in the end as a complete one. */
export function chunkWriter({ model: requested, tellsUsage }: { model: string; tellsUsage: boolean }) {
  const id = `chatcmpl-${randomBytes(18).toString('base64url')}`;
  const created = Math.floor(Date.now() / 1000);
  let model = requested;
  let tier = '';
  let frames = '';
  let isStarted = false;
  /** Estimated number of tokens. */
  let tokens = 0;
  let content = '';
  let refusal = '';
  /** The last message written. */
  let last: string | undefined;
  /** Start of the text of each part. */
  const parts = new Map<string, number>();
  const links = new Map<string, JsonObject>();
  /** By the index of their item. */
  const calls = new Map<number, Call>();

  const served = () => (tier === '' ? {} : { service_tier: tier });
  const chunk = (choices: JsonObject[], usage: JsonObject | null = null) =>
    frameOf({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      ...served(),
      choices,
      ...(tellsUsage && { usage }),
    });

  const beginning = () => (isStarted ? '' : chunk(choiceOf({ role: 'assistant', content: '', refusal: null }, null)));

  function tell(delta: JsonObject, words: string) {
    frames += beginning() + chunk(choiceOf(delta, null));
    isStarted = true;
    tokens += estimatePiece(words);
  }

  const finishOf = (cut: 'length' | 'content_filter' | undefined) => cut ?? (calls.size > 0 ? 'tool_calls' : 'stop');

  return {
    hasPart: (part: string) => parts.has(part),
    hasRefusal: () => refusal !== '',
    argumentsOf: (at: number) => calls.get(at)?.function.arguments,
    tokens: () => tokens,
    named(name: unknown) {
      model = text(name) || model;
    },
    servedBy(name: unknown) {
      tier = text(name) || tier;
    },
    /** `part` names a message and a part of it. */
    text(part: string, words: string) {
      if (words === '') return;
      const message = messageOf(part);
      // In Responses, the text before and after a tool call is two messages.
      const between = last === undefined || last === message ? '' : '\n\n';
      last = message;
      // The provider counts code points.
      if (!parts.has(part)) parts.set(part, [...content].length + between.length);
      content += between + words;
      tell({ content: between + words }, words);
    },
    link(part: string, annotation: unknown) {
      const link = linkOf(annotation, parts.get(part) ?? [...content].length);
      // A finished item repeats its links.
      if (link) links.set(JSON.stringify(link), link);
    },
    refusal(words: string) {
      if (words === '') return;
      refusal += words;
      tell({ refusal: words }, words);
    },
    /** A call without an id cannot be answered. Some servers send the id only with the finished item. */
    call(at: number, callId: unknown, name: unknown) {
      if (calls.has(at) || text(callId) === '') return;
      const call: Call = { id: text(callId), type: 'function', function: { name: text(name), arguments: '' } };
      tell({ tool_calls: [{ index: calls.size, ...call, function: { ...call.function } }] }, call.function.name);
      calls.set(at, call);
    },
    arguments(at: number, given: string) {
      const call = calls.get(at);
      if (!call || given === '') return;
      call.function.arguments += given;
      tell({ tool_calls: [{ index: [...calls.keys()].indexOf(at), function: { arguments: given } }] }, given);
    },
    taken() {
      const taken = frames;
      frames = '';
      return taken;
    },
    /** Final chunks of a stream. `cut`: why the answer is truncated. */
    ending(cut: 'length' | 'content_filter' | undefined, usage: TokenCounts | null): string {
      // Clients keep only the last list, so all links come at once.
      const cited = links.size > 0 ? chunk(choiceOf({ annotations: [...links.values()] }, null)) : '';
      const usageChunk = tellsUsage && usage ? chunk([], usageObject(usage)) : '';
      return `${beginning()}${cited}${chunk(choiceOf({}, finishOf(cut)))}${usageChunk}data: [DONE]\n\n`;
    },
    whole(cut: 'length' | 'content_filter' | undefined, usage: TokenCounts | null): JsonObject {
      const message = {
        role: 'assistant',
        content: content === '' && (calls.size > 0 || refusal !== '') ? null : content,
        refusal: refusal === '' ? null : refusal,
        annotations: [...links.values()],
        ...(calls.size > 0 && { tool_calls: [...calls.values()] }),
      };
      return {
        id,
        object: 'chat.completion',
        created,
        model,
        ...served(),
        choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(cut) }],
        ...(usage && { usage: usageObject(usage) }),
      };
    },
  };
}

export type ChunkWriter = ReturnType<typeof chunkWriter>;
