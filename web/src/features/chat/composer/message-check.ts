import { MessageDraft } from '@roster/contracts/chat';

/**
 * What is wrong with a message, in the contract's words; null while nothing is. Import it when it is needed: the schema
 * brings its parser with it.
 */
export function messageProblem(text: string): string | null {
  const parsed = MessageDraft.shape.message.safeParse(text);
  return parsed.success ? null : (parsed.error.issues[0]?.message ?? 'This message cannot be sent');
}
