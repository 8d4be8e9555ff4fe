import type { ConversationTurn } from './provider.ts';

const isEmpty = ({ text, files = [], parts = [], calls = [] }: ConversationTurn) =>
  text === '' && files.length === 0 && parts.length === 0 && calls.length === 0;

const inOrder = ({ text, files, parts }: ConversationTurn) => parts ?? [...(files ?? []), text];

const hasCalls = ({ calls = [] }: ConversationTurn) => calls.length > 0;

function joined(one: ConversationTurn, next: ConversationTurn): ConversationTurn {
  const text = [one.text, next.text].filter((words) => words !== '').join('\n\n');
  const files = [...(one.files ?? []), ...(next.files ?? [])];
  const isPlain = files.length === 0 && !one.parts && !next.parts;
  return {
    role: one.role,
    text,
    ...(files.length > 0 && { files }),
    ...(!isPlain && { parts: [...inOrder(one), ...inOrder(next)].filter((part) => part !== '') }),
    ...(next.calls && { calls: next.calls }),
  };
}

/**
 * Merges turns so that user and assistant alternate, as strict servers require. An answer that failed, was stopped or
 * is empty leaves two user turns in a row, which such a server would reject on every later request. No text is lost.
 */
export function alternateTurns(turns: readonly ConversationTurn[]): ConversationTurn[] {
  const result: ConversationTurn[] = [];
  for (const turn of turns) {
    if (turn.role === 'assistant' && isEmpty(turn)) continue;
    const last = result.at(-1);
    // Function outputs belong between the text before their calls and the text after them.
    if (last && last.role === turn.role && !hasCalls(last)) result[result.length - 1] = joined(last, turn);
    else result.push(turn);
  }
  return result;
}
