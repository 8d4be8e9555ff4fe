import type { JsonObject } from '../http/fields.ts';
import type { Effort } from '../models/rules.ts';
import type { ToolUse } from './calls.ts';

export type Turn = { role: 'user' | 'assistant' | 'system'; text: string };

/** A request for text, through either of the two APIs. */
export type Question = {
  model: string;
  instructions: string;
  turns: readonly Turn[];
  /** Names of the attachments of the last message. */
  attachments: readonly string[];
  effort: Effort | null;
  wantsSummary: boolean;
  /** Including reasoning, as the provider counts it. */
  maxTokens: number | undefined;
  tools: ToolUse;
  /** The schema of the answer. */
  schema: JsonObject | null;
};

export function lastUserText(turns: readonly Turn[]): string {
  return turns.findLast((turn) => turn.role === 'user')?.text ?? '';
}
