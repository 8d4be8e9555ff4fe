import type { TrainingFormat } from '@roster/contracts/fine-tuning/training-files';
import { isObject, type JsonObject } from '#server/lib/is-object';

export type ExampleFormat = Exclude<TrainingFormat, 'unknown'>;

/** Number of tokens of a text. */
export type CountText = (text: string) => number;

/**
 * The provider adds three tokens for each message, three for the answer that follows, and one for a name:
 * `num_tokens_from_messages` in the provider's cookbook, examples/Chat_finetuning_data_prep.ipynb.
 */
const perMessage = 3;
const perAnswer = 3;
const perName = 1;
/** The provider's published cost of an image: 85 at low detail, 170 more for each of the four tiles of 1,024 × 1,024. */
const lowImage = 85;
const usualImage = 765;

/** Counts an example that was found to be right. A preference pair counts with both of its answers. */
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

/** The form in which tools are put into words is not published; their JSON comes close. */
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
