import type { Assistant } from '@roster/contracts/assistants/assistants';
import { chat, type ThreadListItem } from '@roster/contracts/chat';
import { files } from '@roster/contracts/files/files';
import type { Model } from '@roster/contracts/models/models';
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  Bot,
  FileText,
  Folder,
  FolderPlus,
  Import,
  LogOut,
  MessageSquare,
  MessageSquarePlus,
  Monitor,
  Moon,
  Plus,
  Sun,
  Upload,
} from 'lucide-react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useEditAccess, useUser } from '#web/api/current-user.ts';
import { modelName } from '#web/api/model-names.ts';
import { allModels, modelsQuery } from '#web/api/models.ts';
import { isActive, projectsQuery } from '#web/api/projects.ts';
import { loadAround } from '#web/features/chat/shared/thread-cache.ts';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatRelative } from '#web/lib/text/format.ts';
import { setTheme, type Theme, useTheme } from '#web/lib/theme/theme.ts';
import { useDebouncedText } from '#web/lib/use-debounced-text.ts';
import type { Icon } from '#web/ui/icon.ts';
import { placesFor } from './command-places.ts';
import { pagesFor } from './navigation.ts';
import { recentCommandIds } from './recent-commands.ts';
import { newChatKeys } from './shortcuts.ts';
import { useSignOut } from './use-sign-out.ts';

export type Command = {
  id: string;
  label: string;
  /** Shown muted, right-aligned. */
  detail?: string;
  /** Other words that find it. */
  names?: string;
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
/** Begins the ids of the sidebar's pages. */
const sidebarPage = 'page-';

const threadSearch = (text: string) =>
  queryOptions({
    queryKey: ['palette-threads', text],
    queryFn: ({ signal }) => call(chat.threads, { query: { limit: 8, ...(text ? { q: text } : {}) } }, signal),
    placeholderData: keepPreviousData,
  });

const fileSearch = (text: string) =>
  queryOptions({
    queryKey: ['palette-files', text],
    queryFn: ({ signal }) => call(files.list, { query: { limit: 5, q: text } }, signal),
    placeholderData: keepPreviousData,
  });

/** True if every word of `text` occurs in the label, or begins one of the other names. */
function matches({ label, names = '' }: Command, text: string): boolean {
  const lower = label.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word) || ` ${names}`.includes(` ${word}`));
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
  const createWithModel = useCreateWithModel();
  const models = useQuery({ ...modelsQuery, enabled: wanted !== '' });
  const foundFiles = useFoundFiles(settled);

  const narrowed = (commands: Command[]) => commands.filter((command) => matches(command, wanted));
  const bots = narrowed((assistants.data ?? []).map(openAssistant));
  const projects = narrowed(useProjects());
  const known = [...actions, ...pages, ...bots, ...projects];
  // Once something is typed, the groups' own order is easier to follow.
  const recent = wanted === '' ? recentCommandIds().flatMap((id) => known.filter((command) => command.id === id)) : [];
  const others = (commands: Command[]) => commands.filter((command) => !recent.includes(command));
  // With nothing typed, the pages' tabs would hide the assistants and conversations below them.
  const shownPages = wanted === '' ? pages.filter(({ id }) => id.startsWith(sidebarPage)) : narrowed(pages);
  const groups = [
    { title: 'Recent', commands: recent },
    { title: 'Actions', commands: others(narrowed(actions)) },
    { title: 'Pages', commands: others(shownPages) },
    { title: 'Assistants', commands: others(bots).slice(0, maxShown) },
    { title: 'Projects', commands: others(projects).slice(0, maxShown) },
    { title: 'Conversations', commands: (threads.data?.items ?? []).map(openThread) },
    { title: 'Files', commands: foundFiles },
    { title: 'Models', commands: narrowed(allModels(models.data).map(createWithModel)).slice(0, maxShown) },
  ].filter((group) => group.commands.length > 0);
  return { groups, searching: threads.isFetching || settled !== wanted, failed: threads.isError };
}

function usePages(): Command[] {
  const navigate = useNavigate();
  const user = useUser();
  const inMenu = pagesFor(user).map(({ to, label, icon, key, names }) => ({
    id: `${sidebarPage}${key}`,
    label,
    icon,
    ...(names !== undefined && { names }),
    detail: `G ${key.toUpperCase()}`,
    run: () => void navigate({ to }),
  }));
  const others = placesFor(user).map(({ id, label, names, icon, open }) => ({
    id,
    label,
    names,
    icon,
    run: () => open(navigate),
  }));
  return [...inMenu, ...others];
}

function useActions(): Command[] {
  const navigate = useNavigate();
  const { reason } = useEditAccess();
  const signOut = useSignOut();
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
  const newProject = {
    id: 'new-project',
    label: 'New project',
    names: 'create folder',
    icon: FolderPlus,
    run: () => void navigate({ to: '/projects', state: { isCreatingProject: true } }),
  };
  const create = {
    id: 'create-assistant',
    label: 'Create assistant',
    icon: Plus,
    disabledReason: reason,
    run: () => void navigate({ to: '/settings', search: { tab: 'assistants', view: 'create' } }),
  };
  const upload = {
    id: 'upload',
    label: 'Upload files',
    names: 'add documents attach',
    icon: Upload,
    disabledReason: reason,
    run: () => void navigate({ to: '/files', state: { isUploading: true } }),
  };
  const importAssistants = {
    id: 'import-assistants',
    label: 'Import assistants',
    names: 'json openai gpts',
    icon: Import,
    disabledReason: reason,
    run: () => void navigate({ to: '/settings', search: { tab: 'assistants', view: 'import' } }),
  };
  const logOut = {
    id: 'log-out',
    label: 'Log out',
    names: 'logout sign out',
    icon: LogOut,
    run: () => signOut?.(),
  };
  return [newChat, newProject, create, upload, importAssistants, ...switches, logOut];
}

function useProjects(): Command[] {
  const navigate = useNavigate();
  const projects = useQuery(projectsQuery);
  return (projects.data ?? []).filter(isActive).map(({ id, name }) => ({
    id: `project-${id}`,
    label: name,
    names: 'project',
    icon: Folder,
    run: () => void navigate({ to: '/projects/$id', params: { id } }),
  }));
}

/** Files by name, once something is typed. */
function useFoundFiles(text: string): Command[] {
  const navigate = useNavigate();
  const found = useQuery({ ...fileSearch(text), enabled: text !== '' });
  if (text === '') return [];
  return (found.data ?? []).map(({ id, filename }) => ({
    id: `file-${id}`,
    label: filename,
    icon: FileText,
    run: () => void navigate({ to: '/files', search: { q: filename } }),
  }));
}

function useCreateWithModel() {
  const navigate = useNavigate();
  const { reason } = useEditAccess();
  return ({ id }: Model): Command => ({
    id: `model-${id}`,
    label: modelName(id),
    detail: 'Create an assistant',
    icon: Plus,
    disabledReason: reason,
    run: () => void navigate({ to: '/settings', search: { tab: 'assistants', view: 'create', model: id } }),
  });
}

function useOpenAssistant() {
  const navigate = useNavigate();
  return ({ id, name, model }: Assistant): Command => ({
    id: `assistant-${id}`,
    label: name,
    detail: modelName(model),
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
