import { countTokens } from '../generation/tokens.ts';
import { isObject, type JsonObject } from '../http/fields.ts';

const LEAST_EXAMPLES = 10;

export type TrainingMethod = 'supervised' | 'dpo';

type Inspection = {
  examples: number;
  tokens: number;
  invalid: { code: string; message: string; param: string } | null;
};

function isMessageList(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every((message) => isObject(message) && 'role' in message);
}

/** The problem of one example, or null. */
function complaint(example: JsonObject, method: TrainingMethod): string | null {
  if (method === 'dpo') {
    const fits =
      isObject(example.input) &&
      isMessageList(example.input.messages) &&
      isMessageList(example.preferred_output) &&
      isMessageList(example.non_preferred_output);
    return fits ? null : 'needs "input", "preferred_output" and "non_preferred_output"';
  }
  if (!isMessageList(example.messages)) return 'is missing key "messages"';
  return example.messages.at(-1)?.role === 'assistant' ? null : 'must end with a message from the assistant';
}

/** Validates a training file as the provider does after the job was created, and returns its complaints. */
export function inspect(content: string, method: TrainingMethod): Inspection {
  const invalid = (code: string, message: string, examples = 0): Inspection => ({
    examples,
    tokens: 0,
    invalid: { code, message, param: 'training_file' },
  });
  const lines = content.split('\n').filter((line) => line.trim() !== '');
  for (const [index, line] of lines.entries()) {
    let example: unknown;
    try {
      example = JSON.parse(line);
    } catch {
      const message = `Invalid file format. Line ${index + 1} is not valid JSON.`;
      return invalid('invalid_training_file', message);
    }
    const wrong = isObject(example) ? complaint(example, method) : 'must be a JSON object';
    if (wrong !== null) {
      return invalid('invalid_training_file', `Invalid file format. Example ${index + 1} ${wrong}.`);
    }
  }
  if (lines.length < LEAST_EXAMPLES) {
    const message = `Training file has ${lines.length} example(s), but must have at least ${LEAST_EXAMPLES} examples`;
    return invalid('invalid_n_examples', message, lines.length);
  }
  return { examples: lines.length, tokens: countTokens(content), invalid: null };
}
