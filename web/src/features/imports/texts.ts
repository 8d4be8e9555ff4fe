import type { Import, ImportSource, LeftOutReason } from '@roster/contracts/imports';
import { formatCount, formatLongDate, formatNumber } from '#web/lib/text/format.ts';

export const sourceNames: Record<ImportSource, string> = {
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  gemini: 'Gemini',
  librechat: 'LibreChat',
  'open-webui': 'Open WebUI',
  roster: 'Roster',
};

const filesText = (count: number) => formatCount(count, 'image or file', 'images and files');

const leftOutTexts: Record<LeftOutReason, (count: number) => string> = {
  files: (count) => `${filesText(count)} that the export does not contain: their place in the conversation is kept.`,
  large_files: (count) => `${filesText(count)} larger than 50 MB.`,
  damaged_files: (count) => `${filesText(count)} that ${count === 1 ? 'is' : 'are'} empty or damaged in the archive.`,
  files_without_room: (count) =>
    `${filesText(count)} that ${count === 1 ? 'exceeds' : 'exceed'} your storage limit: delete some files first.`,
  files_not_allowed: (count) => `${filesText(count)}: your role, Viewer, cannot upload files.`,
  tool_steps: (count) => `${formatCount(count, 'tool call')} between questions and answers: the answers are imported.`,
  system_messages: (count) => `${formatCount(count, 'system message')}: put such instructions into an assistant.`,
  hidden_messages: (count) => `${formatCount(count, 'hidden message')} that the other product did not show you either.`,
  custom_instructions: (count) =>
    `${formatCount(count, 'copy', 'copies')} of your custom instructions: put them into an assistant.`,
  projects: (count) => `${formatCount(count, 'project')}: the conversations are imported, without their project.`,
  gpts: (count) =>
    `${formatCount(count, 'GPT')}: the conversations are imported, but the export does not describe ${count === 1 ? 'it' : 'them'}.`,
  other_activities: (count) =>
    `${formatCount(count, 'activity', 'activities')} without a question, such as feedback or a change of settings.`,
  empty_conversations: (count) => `${formatCount(count, 'conversation')} without any message.`,
  assistants_not_allowed: (count) =>
    `${formatCount(count, 'assistant')}: your role, Viewer, cannot have ${count === 1 ? 'one' : 'them'}.`,
  projects_without_room: (count) => `${formatCount(count, 'project')}: you can have 200. Delete some first.`,
  keys: (count) =>
    `${formatCount(count, 'API key or access token', 'API keys and access tokens')}: an export contains no secrets. Add ${count === 1 ? 'it' : 'them'} again.`,
  tool_servers: (count) =>
    `${formatCount(count, 'tool server')}: connect ${count === 1 ? 'it' : 'them'} again with ${count === 1 ? 'its' : 'their'} secrets, and choose the tools of your assistants.`,
  limits: (count) => `${formatCount(count, 'budget or custom price', 'budgets and custom prices')}: set them again.`,
  drafts: (count) =>
    `${formatCount(count, 'assistant', 'assistants')} in the editor, not saved: save before you export.`,
  comparisons: (count) => `${formatCount(count, 'comparison or test set', 'comparisons and test sets')}.`,
  training: (count) =>
    `${formatCount(count, 'dataset, job or model', 'datasets, jobs and models')} of fine-tuning: the models belong to the account at the provider.`,
  program_data: (count) =>
    `${formatCount(count, 'response or vector store', 'responses and vector stores')} that programs have stored.`,
  unreadable_conversations: (count) => `${formatCount(count, 'entry', 'entries')} in an unsupported format.`,
};

/** Keeps a name in its own direction within the sentence. */
const isolated = (name: string) => `\u2068${name}\u2069`;

export const leftOutText = ({ reason, count, names }: Import['leftOut'][number]): string => {
  const more = count - names.length;
  const all = [...names.map(isolated), ...(names.length > 0 && more > 0 ? [`${formatNumber(more)} more`] : [])].join(
    ', ',
  );
  return all === '' ? leftOutTexts[reason](count) : `${leftOutTexts[reason](count)} (${all})`;
};

/** '12 conversations with 340 messages and 5 files' */
export function contentText(conversations: number, messages: number, files = 0): string {
  const content = `${formatCount(conversations, 'conversation')} with ${formatCount(messages, 'message')}`;
  return files === 0 ? content : `${content} and ${formatCount(files, 'file')}`;
}

/** Names the contents beside conversations: '2 assistants, 1 project and 3 prompts'; empty: nothing. */
export function othersText({ assistants, projects, prompts, queued }: Import): string {
  const named = [
    [assistants, 'assistant'],
    [projects, 'project'],
    [prompts, 'prompt'],
    [queued, 'queued message'],
  ] as const;
  return listText(named.flatMap(([count, one]) => (count === 0 ? [] : [formatCount(count, one)])));
}

const listText = (parts: string[]) =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/** 'from May 1, 2023 to May 2, 2024'; empty if not known. */
export function periodText({ from, to }: Import): string {
  if (from === null || to === null) return '';
  const [first, last] = [formatLongDate(from), formatLongDate(to)];
  return first === last ? `, on ${first}` : `, from ${first} to ${last}`;
}

/** Describes the result of an import. */
export function resultText(item: Import): string {
  const { state, importedConversations, importedMessages, importedFiles, kept } = item;
  const others = listText([
    ...(item.importedAssistants > 0 ? [formatCount(item.importedAssistants, 'assistant')] : []),
    ...(item.importedProjects > 0 ? [formatCount(item.importedProjects, 'project')] : []),
  ]);
  if (state === 'undone') {
    if (kept === 0) return 'Undone. Everything it had imported was deleted.';
    return `Undone, except for ${formatCount(kept, 'conversation')} that you have continued since.`;
  }
  if (state === 'expired') return 'The file was deleted because the import was not started within seven days.';
  if (importedMessages === 0 && others !== '') return `${others} imported.`;
  if (importedMessages === 0)
    return state === 'done' ? 'Nothing new: everything was already in Roster.' : 'Nothing was imported.';
  if (importedConversations === 0)
    return `${formatCount(importedMessages, 'new message')} added to conversations that were already in Roster.`;
  const content = contentText(importedConversations, importedMessages, importedFiles);
  return others === '' ? `${content} imported.` : `${content} imported, and ${others}.`;
}
