import type { User } from '@roster/contracts/auth';
import {
  Bot,
  Cable,
  ChartNoAxesColumn,
  Files,
  FlaskConical,
  House,
  type LucideIcon,
  MessageSquare,
  Server,
  Settings,
  Users,
} from 'lucide-react';

type SidebarPage = {
  to:
    | '/'
    | '/chat'
    | '/assistants'
    | '/files'
    | '/analytics'
    | '/fine-tuning'
    | '/users'
    | '/system'
    | '/settings'
    | '/connect';
  label: string;
  icon: LucideIcon;
  /** Follows G on the keyboard. */
  key: string;
  /** Other words that find it. */
  names?: string;
};

/** Pages of the sidebar in order; Connect belongs to Settings. */
const pages: readonly SidebarPage[] = [
  { to: '/', label: 'Home', icon: House, key: 'h' },
  { to: '/chat', label: 'Chat', icon: MessageSquare, key: 'c' },
  { to: '/assistants', label: 'Assistants', icon: Bot, key: 'i' },
  { to: '/files', label: 'Files', icon: Files, key: 'f' },
  { to: '/analytics', label: 'Analytics', icon: ChartNoAxesColumn, key: 'a' },
  { to: '/fine-tuning', label: 'Fine-Tuning', icon: FlaskConical, key: 't' },
  { to: '/users', label: 'Users', icon: Users, key: 'u' },
  { to: '/system', label: 'System', icon: Server, key: 'y' },
  { to: '/settings', label: 'Settings', icon: Settings, key: 's' },
  {
    to: '/connect',
    label: 'Connect',
    icon: Cable,
    key: 'n',
    names: 'api sdk snippets curl python code editor access token base url',
  },
];

/** Users and System are for administrators. The server enforces that; here only the links are hidden. */
export function pagesFor(user: User): readonly SidebarPage[] {
  return pages.filter(({ to }) => (to !== '/users' && to !== '/system') || user.role === 'Admin');
}

/** Pages that are not in the sidebar. */
const otherPages = [
  { to: '/prompts', label: 'Prompts' },
  { to: '/projects', label: 'Projects' },
  { to: '/test-sets', label: 'Test Sets' },
  { to: '/trash', label: 'Trash' },
];

/** Name of the page at a path. */
export const pageNameOf = (path: string): string =>
  [...pages, ...otherPages].find(({ to }) => (to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)))
    ?.label ?? 'Roster';
