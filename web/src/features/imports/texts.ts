import type { Import, ImportSource, LeftOutReason } from '@roster/contracts/imports';
import { formatCount, formatLongDate } from '#web/lib/text/format.ts';

export const sourceNames: Record<ImportSource, string> = {
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  librechat: 'LibreChat',
  'open-webui': 'Open WebUI',
  roster: 'Roster',
};

const leftOutTexts: Record<LeftOutReason, (count: number) => string> = {
  files: (count) =>
    `${formatCount(count, 'file or image', 'files and images')}: their place in the conversation is kept, the files are not.`,
  tool_steps: (count) => `${formatCount(count, 'tool call')} between questions and answers: the answers are imported.`,
  system_messages: (count) => `${formatCount(count, 'system message')}: put such instructions into an assistant.`,
  hidden_messages: (count) => `${formatCount(count, 'hidden message')} that the other product did not show you either.`,
  empty_conversations: (count) => `${formatCount(count, 'conversation')} without any message.`,
  unreadable_conversations: (count) => `${formatCount(count, 'entry', 'entries')} in a form that Roster does not know.`,
};

export const leftOutText = ({ reason, count }: Import['leftOut'][number]): string => leftOutTexts[reason](count);

/** '12 conversations with 340 messages' */
export const contentText = (conversations: number, messages: number): string =>
  `${formatCount(conversations, 'conversation')} with ${formatCount(messages, 'message')}`;

/** 'from May 1, 2023 to May 2, 2024'; empty if not known. */
export function periodText({ from, to }: Import): string {
  if (from === null || to === null) return '';
  const [first, last] = [formatLongDate(from), formatLongDate(to)];
  return first === last ? `, on ${first}` : `, from ${first} to ${last}`;
}

/** Describes the result of an import. */
export function resultText({ state, importedConversations, importedMessages, kept }: Import): string {
  if (state === 'undone') {
    if (kept === 0) return 'Undone. Everything it had imported was deleted.';
    return `Undone, except for ${formatCount(kept, 'conversation')} that you have continued since.`;
  }
  if (state === 'expired') return 'The file was deleted because the import was not started within seven days.';
  if (importedMessages === 0)
    return state === 'done' ? 'Nothing new: everything was here already.' : 'Nothing was imported.';
  if (importedConversations === 0)
    return `${formatCount(importedMessages, 'new message')} added to conversations that were here already.`;
  return `${contentText(importedConversations, importedMessages)} imported.`;
}
