import { reportsCacheWrites } from '../models/rules.ts';
import type { Plan } from './plan.ts';
import type { Question } from './question.ts';
import { countTokens } from './tokens.ts';

export type Usage = {
  input: number;
  cached: number;
  cacheWrites: number;
  reasoning: number;
  /** Including reasoning. */
  output: number;
};

/** The chat format's overhead per message. */
const PER_MESSAGE = 4;
const PER_ATTACHMENT = 85;
/** The provider caches prompts from this length on, in blocks. */
const CACHE_FROM = 1_024;
const CACHE_BLOCK = 128;

export function inputTokens({ instructions, turns, attachments }: Question, earlier: number): number {
  const texts = turns.reduce((sum, turn) => sum + countTokens(turn.text) + PER_MESSAGE, 0);
  const tokens = instructions === '' ? 0 : countTokens(instructions) + PER_MESSAGE;
  return earlier + texts + tokens + attachments.length * PER_ATTACHMENT;
}

function blocks(tokens: number): number {
  return Math.floor(tokens / CACHE_BLOCK) * CACHE_BLOCK;
}

export function usageOf(question: Question, plan: Plan, sent: number, input: number): Usage {
  const cached = input < CACHE_FROM ? 0 : blocks(input / 2);
  const cacheWrites = input < CACHE_FROM || !reportsCacheWrites(question.model) ? 0 : blocks(input - cached);
  const called = plan.calls.reduce((sum, call) => sum + countTokens(call.arguments), 0);
  return { input, cached, cacheWrites, reasoning: plan.reasoningTokens, output: plan.reasoningTokens + called + sent };
}
