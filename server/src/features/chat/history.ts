import type { Catalogue } from '../../provider/catalogue.ts';
import type { ConversationTurn } from '../../provider/provider.ts';
import type { MessageRepository } from './message-repository.ts';
import { estimateTokens } from './token-estimate.ts';

const turnsAtOnce = 200;
/** Kept free for the answer: a quarter of what the model can read, at most so many tokens. */
const answerTokens = 16_000;
/** Where the model's limit is not known; a provider that can read less says so, and the run is tried with half. */
const tokensWhereUnknown = 1_000_000;

export const cutNote = (left: number) =>
  `The conversation is longer than this model can read: the oldest ${left === 1 ? 'message was' : `${left} messages were`} left out.`;

/**
 * The turns that a model gets to read: the branch that ends in the question, cut from the oldest where it is longer
 * than the model's context. Read from the end in pieces, so that a long thread costs no more than what fits.
 */
export async function readHistory(
  messages: MessageRepository,
  catalogue: Catalogue,
  question: { userId: number; threadId: number; head: number; depth: number },
  model: string,
  instructions: string,
): Promise<{ turns: ConversationTurn[]; leftOut: number }> {
  const context = catalogue.contextTokens(model) ?? tokensWhereUnknown;
  let budget = context - Math.min(answerTokens, context / 4) - estimateTokens(instructions);
  const turns: ConversationTurn[] = [];
  const { userId, threadId, head } = question;
  for (let to = question.depth; to >= 0; to -= turnsAtOnce) {
    const from = Math.max(0, to - turnsAtOnce + 1);
    const piece = await messages.wordsInBranch(userId, { threadId, head, from, to });
    for (const [index, turn] of piece.reverse().entries()) {
      budget -= estimateTokens(turn.text);
      // The question itself always goes along; whether it fits alone is for the provider to say.
      if (budget < 0 && turns.length > 0) return { turns: turns.reverse(), leftOut: to - index + 1 };
      if (turn.text !== '') turns.push(turn);
    }
  }
  return { turns: turns.reverse(), leftOut: 0 };
}
