import { type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { describeErrors, type ValidationError } from './validation-errors.ts';

export type ValidationInput = { text: string; schema: string };
/** The first problems and their total number. `late`: timed out. */
export type ValidationResult =
  | { state: 'checked'; problems: readonly ValidationError[]; count: number }
  | { state: 'late' }
  | { state: 'failed' };

const maxShown = 100;

/** The library assumes the newest draft by default. */
function draftOf({ $schema }: Schema): SchemaDraft {
  const [draft] = /draft-0[47]|2019-09/.exec(String($schema)) ?? [];
  return draft === 'draft-04' ? '4' : draft === 'draft-07' ? '7' : draft === '2019-09' ? draft : '2020-12';
}

/** Validates an answer against its schema. Run in a worker: some schemas take forever. */
export function validateAnswer({ text, schema: schemaText }: ValidationInput): ValidationResult {
  try {
    const [answer, schema]: [unknown, Schema] = [JSON.parse(text), JSON.parse(schemaText)];
    const { errors } = everyError(answer, schema);
    const problems = describeErrors(errors, schema);
    return { state: 'checked', problems: problems.slice(0, maxShown), count: problems.length };
  } catch {
    // For example a schema that refers to itself, or nesting deeper than the call stack. All we can say is that they
    // could not be compared.
    return { state: 'failed' };
  }
}

function everyError(answer: unknown, schema: Schema) {
  const draft = draftOf(schema);
  try {
    return new Validator(schema, draft, false).validate(answer);
  } catch (error) {
    // Too many errors to collect; report only the first.
    if (error instanceof RangeError) return new Validator(schema, draft, true).validate(answer);
    throw error;
  }
}
