import type { ExampleFormat } from './example.ts';
import { isObject, type JsonObject } from './json-line.ts';

/** What one text comes to. */
export type CountText = (text: string) => number;

/**
 * Longer pieces are cut for counting: merging a piece takes time with the square of its length, so a text without any
 * break would hold the thread for hours. Words and gaps are far shorter; where one is cut, it counts a token more at most.
 */
const longestPiece = 128;
const piecesKept = 20_000;

/** The models before GPT-4o have another tokenizer than all since. */
const isOlder = (model: string) => /^(ft:)?(gpt-4(-|:|$)|gpt-3\.5)/.test(model);

/**
 * Counts tokens as the base model does. The tables are loaded here and not before: 30 MB in this thread.
 * Pieces are counted one by one, with those of the last texts kept, because most words come again and again.
 */
export async function tokenCounter(model: string | null): Promise<CountText> {
  const patterns = await import('gpt-tokenizer/encodingParams/constants');
  const older = model !== null && isOlder(model);
  const { countTokens, setMergeCacheSize } = older
    ? await import('gpt-tokenizer/encoding/cl100k_base')
    : await import('gpt-tokenizer/encoding/o200k_base');
  const { source } = older ? patterns.CL100K_TOKEN_SPLIT_REGEX : patterns.O200K_TOKEN_SPLIT_REGEX;
  setMergeCacheSize(0);
  // The library's own object keeps the place of its last match.
  const pattern = new RegExp(source, 'gu');
  // What looks like a control token is text in a training file.
  const asText = { disallowedSpecial: new Set<string>() };
  const known = new Map<string, number>();

  function countPiece(piece: string): number {
    const before = known.get(piece);
    if (before !== undefined) return before;
    const count = countTokens(piece, asText);
    if (known.size >= piecesKept) known.clear();
    known.set(piece, count);
    return count;
  }

  return (text) => {
    let count = 0;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const [piece] = match;
      for (let from = 0; from < piece.length; from += longestPiece)
        count += countPiece(piece.slice(from, from + longestPiece));
    }
    return count;
  };
}

/**
 * Around each message the provider puts three tokens, around the answer that follows three more, and one for a name: `num_tokens_from_messages` in the provider's cookbook,
 * examples/Chat_finetuning_data_prep.ipynb.
 */
const perMessage = 3;
const perAnswer = 3;
const perName = 1;
/** The provider's published cost of an image: 85 at low detail, 170 more for each of the four tiles of 1,024 × 1,024. */
const lowImage = 85;
const usualImage = 765;

/** Of an example that was found to be right. A preference pair counts with both of its answers. */
export function countExample(format: ExampleFormat, example: JsonObject, count: CountText): number {
  if (format === 'prompt_completion') {
    const roles = count('user') + count('assistant');
    return (
      2 * perMessage + perAnswer + roles + countValue(example.prompt, count) + countValue(example.completion, count)
    );
  }
  if (format === 'chat') return perAnswer + countMessages(example.messages, count) + countTools(example, count);
  const input = isObject(example.input) ? example.input : {};
  const answers = countMessages(example.preferred_output, count) + countMessages(example.non_preferred_output, count);
  return 2 * perAnswer + countMessages(input.messages, count) + countTools(input, count) + answers;
}

const countValue = (value: unknown, count: CountText) => (typeof value === 'string' ? count(value) : 0);

/** How tools are put into words is not published; their JSON comes close. */
const countJson = (value: unknown, count: CountText) =>
  value === undefined || value === null ? 0 : count(JSON.stringify(value));

const countTools = ({ tools, functions }: JsonObject, count: CountText) =>
  countJson(tools, count) + countJson(functions, count);

function countMessages(messages: unknown, count: CountText): number {
  let tokens = 0;
  for (const message of Array.isArray(messages) ? messages : [])
    if (isObject(message)) tokens += countMessage(message, count);
  return tokens;
}

function countMessage(message: JsonObject, count: CountText): number {
  const { role, name, content, refusal, tool_calls: calls, function_call: call, tool_call_id: callId } = message;
  let tokens = perMessage + countValue(role, count) + countValue(refusal, count) + countValue(callId, count);
  if (typeof name === 'string') tokens += perName + count(name);
  tokens += typeof content === 'string' ? count(content) : countParts(content, count);
  return tokens + countJson(calls, count) + countJson(call, count);
}

function countParts(parts: unknown, count: CountText): number {
  let tokens = 0;
  for (const part of Array.isArray(parts) ? parts : []) {
    if (!isObject(part)) continue;
    const { text, refusal, image_url: image } = part;
    if (isObject(image)) tokens += image.detail === 'low' ? lowImage : usualImage;
    else tokens += countValue(text, count) + countValue(refusal, count);
  }
  return tokens;
}
