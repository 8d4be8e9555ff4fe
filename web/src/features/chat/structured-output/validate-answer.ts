import { type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { describeErrors, type ValidationError } from './validation-errors.ts';

export type ValidationInput = { text: string; schema: string };
/** Of many problems the first, and how many there are. `late`: it took too long. */
export type ValidationResult =
  | { state: 'checked'; problems: readonly ValidationError[]; count: number }
  | { state: 'late' }
  | { state: 'failed' };

const toldAtMost = 100;

/** The library reads the newest draft unless it is told. */
function draftOf({ $schema }: Schema): SchemaDraft {
  const [draft] = /draft-0[47]|2019-09/.exec(String($schema)) ?? [];
  return draft === 'draft-04' ? '4' : draft === 'draft-07' ? '7' : draft === '2019-09' ? draft : '2020-12';
}

/** Whether an answer keeps to its schema, and where it does not. For a worker: a schema may take for ever to go by. */
export function validateAnswer({ text, schema: schemaText }: ValidationInput): ValidationResult {
  try {
    const [answer, schema]: [unknown, Schema] = [JSON.parse(text), JSON.parse(schemaText)];
    const { errors } = everyError(answer, schema);
    const problems = describeErrors(errors, schema);
    return { state: 'checked', problems: problems.slice(0, toldAtMost), count: problems.length };
  } catch {
    // Whatever it is (a schema that refers to itself, more levels than a call stack has), it is the schema's or the
    // answer's, and all that can be said is that they could not be compared.
    return { state: 'failed' };
  }
}

function everyError(answer: unknown, schema: Schema) {
  const draft = draftOf(schema);
  try {
    return new Validator(schema, draft, false).validate(answer);
  } catch (error) {
    // More errors than can be handed on at once: the first will do.
    if (error instanceof RangeError) return new Validator(schema, draft, true).validate(answer);
    throw error;
  }
}
