import type { JsonObject } from '../http/fields.ts';
import type { Effort } from '../models/rules.ts';
import type { ToolUse } from './calls.ts';

export type Turn = { role: 'user' | 'assistant' | 'system'; text: string };

/** A request for text, whichever of the two ways it came. */
export type Question = {
  model: string;
  instructions: string;
  turns: readonly Turn[];
  /** Names of what was attached to the last message. */
  attachments: readonly string[];
  effort: Effort | null;
  wantsSummary: boolean;
  /** Reasoning included, as the provider counts it. */
  maxTokens: number | undefined;
  tools: ToolUse;
  /** The schema that the answer has to fit. */
  schema: JsonObject | null;
};

export function lastUserText(turns: readonly Turn[]): string {
  return turns.findLast((turn) => turn.role === 'user')?.text ?? '';
}
