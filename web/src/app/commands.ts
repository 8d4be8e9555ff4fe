import type { Assistant } from '@roster/contracts/assistants/assistants';
import { chat, type ThreadListItem } from '@roster/contracts/chat';
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  Bot,
  Import,
  MessageSquare,
  MessageSquarePlus,
  Monitor,
  Moon,
  NotebookPen,
  Plus,
  Sun,
  Trash2,
} from 'lucide-react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useEditAccess, useUser } from '#web/api/current-user.ts';
import { loadAround } from '#web/features/chat/shared/thread-cache.ts';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatRelative } from '#web/lib/text/format.ts';
import { setTheme, type Theme, useTheme } from '#web/lib/theme/theme.ts';
import { useDebouncedText } from '#web/lib/use-debounced-text.ts';
import type { Icon } from '#web/ui/icon.ts';
import { pagesFor } from './navigation.ts';
import { newChatKeys } from './shortcuts.ts';

export type Command = {
  id: string;
  label: string;
  /** Shown muted, right-aligned. */
  detail?: string;
  /** The text around a search hit. */
  excerpt?: string;
  icon: Icon;
  /** Disables the command and explains why. */
  disabledReason?: string | undefined;
  run: () => void;
};
type Group = { title: string; commands: Command[] };

const themeNames: Record<Theme, string> = { light: 'Light', dark: 'Dark', system: 'System' };
const themeIcons: Record<Theme, Icon> = { light: Sun, dark: Moon, system: Monitor };
const maxShown = 6;

const threadSearch = (text: string) =>
  queryOptions({
    queryKey: ['palette-threads', text],
    queryFn: ({ signal }) => call(chat.threads, { query: { limit: 8, ...(text ? { q: text } : {}) } }, signal),
    placeholderData: keepPreviousData,
  });

/** True if every word of `text` occurs in the label. */
function matches(label: string, text: string): boolean {
  const lower = label.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

/** Commands that match what was typed. */
export function useCommands(text: string): { groups: Group[]; searching: boolean; failed: boolean } {
  const wanted = text.trim();
  const settled = useDebouncedText(wanted, 150);
  const threads = useQuery(threadSearch(settled));
  const assistants = useQuery(assistantsQuery);
  const actions = useActions();
  const pages = usePages();
  const openAssistant = useOpenAssistant();
  const openThread = useOpenThread(settled);

  const narrowed = (commands: Command[]) => commands.filter((command) => matches(command.label, wanted));
  const groups = [
    { title: 'Actions', commands: narrowed(actions) },
    { title: 'Pages', commands: narrowed(pages) },
    { title: 'Assistants', commands: narrowed((assistants.data ?? []).map(openAssistant)).slice(0, maxShown) },
    { title: 'Conversations', commands: (threads.data?.items ?? []).map(openThread) },
  ].filter((group) => group.commands.length > 0);
  return { groups, searching: threads.isFetching || settled !== wanted, failed: threads.isError };
}

function usePages(): Command[] {
  const navigate = useNavigate();
  const inMenu = pagesFor(useUser()).map(({ to, label, icon, key }) => ({
    id: `page-${key}`,
    label,
    icon,
    detail: `G ${key.toUpperCase()}`,
    run: () => void navigate({ to }),
  }));
  const prompts = {
    id: 'page-prompts',
    label: 'Prompts',
    icon: NotebookPen,
    run: () => void navigate({ to: '/prompts' }),
  };
  return [...inMenu, prompts];
}

function useActions(): Command[] {
  const navigate = useNavigate();
  const { reason } = useEditAccess();
  const { theme } = useTheme();
  const switches = (['light', 'dark', 'system'] as const)
    .filter((choice) => choice !== theme)
    .map((choice) => ({
      id: `theme-${choice}`,
      label: `Switch theme to ${themeNames[choice]}`,
      icon: themeIcons[choice],
      run: () => setTheme(choice),
    }));
  const newChat = {
    id: 'new-chat',
    label: 'New chat',
    icon: MessageSquarePlus,
    detail: newChatKeys.join(' '),
    run: () => void navigate({ to: '/chat', search: { new: true } }),
  };
  const create = {
    id: 'create-assistant',
    label: 'Create assistant',
    icon: Plus,
    disabledReason: reason,
    run: () => void navigate({ to: '/settings', search: { tab: 'assistants', view: 'create' } }),
  };
  const openTrash = {
    id: 'trash',
    label: 'Open trash',
    icon: Trash2,
    run: () => void navigate({ to: '/trash' }),
  };
  const importConversations = {
    id: 'import-conversations',
    label: 'Import conversations',
    icon: Import,
    run: () => void navigate({ to: '/settings', search: { tab: 'import' } }),
  };
  return [newChat, create, importConversations, openTrash, ...switches];
}

function useOpenAssistant() {
  const navigate = useNavigate();
  return ({ id, name, model }: Assistant): Command => ({
    id: `assistant-${id}`,
    label: name,
    detail: model,
    icon: Bot,
    run: () => void navigate({ to: '/chat', search: { assistant: id } }),
  });
}

function useOpenThread(query: string) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const open = async (threadId: number, match: ThreadListItem['match']) => {
    if (match) {
      try {
        await loadAround(client, threadId, match.messageId);
      } catch (failure) {
        return showFailure('Failed to open the message')(failure);
      }
    }
    const found = match ? { messageId: match.messageId, query } : undefined;
    void navigate({ to: '/chat/$threadId', params: { threadId: String(threadId) }, state: { found } });
  };
  return ({ id, title, updatedAt, match }: ThreadListItem): Command => ({
    id: `thread-${id}`,
    label: title,
    detail: formatRelative(updatedAt),
    ...(match ? { excerpt: match.snippet } : {}),
    icon: MessageSquare,
    run: () => void open(id, match),
  });
}
