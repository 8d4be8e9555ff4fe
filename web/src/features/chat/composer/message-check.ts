import { MessageDraft } from '@roster/contracts/chat';

/** The contract's error for a message; null if it is valid. Import on demand: the schema brings its parser. */
export function messageProblem(text: string): string | null {
  const parsed = MessageDraft.shape.message.safeParse(text);
  return parsed.success ? null : (parsed.error.issues[0]?.message ?? 'This message cannot be sent');
}
