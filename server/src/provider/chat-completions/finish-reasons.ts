import type { AnswerEnd } from '#server/provider/provider';

export type Finish = AnswerEnd['reason'] | 'failed' | 'unknown';

/** OpenAI's words, and those of servers with their own. */
const known: [Finish, string[]][] = [
  ['complete', ['stop', 'eos', 'eos_token', 'stop_sequence', 'end_turn', 'tool_calls', 'tool_use', 'function_call']],
  ['length', ['length', 'max_tokens', 'max_output_tokens', 'model_length', 'model_context_window_exceeded']],
  ['content_filter', ['content_filter', 'safety', 'recitation', 'sensitive', 'refusal', 'prohibited_content']],
];
const isFailure = /error|fail|abort|cancel|insufficient|interrupt|overload|time.?out|unavailable|malformed/;

/** The meaning of a `finish_reason`; undefined: the answer has not ended. */
export function parseFinishReason(reason: unknown): Finish | undefined {
  if (typeof reason !== 'string') return undefined;
  const word = reason.trim().toLowerCase();
  if (word === '' || word === 'null') return undefined;
  const [finish] = known.find(([, words]) => words.includes(word)) ?? [];
  return finish ?? (isFailure.test(word) ? 'failed' : 'unknown');
}
