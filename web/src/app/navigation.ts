import type { User } from '@roster/contracts/auth';
import {
  Bot,
  ChartNoAxesColumn,
  Files,
  FlaskConical,
  House,
  MessageSquare,
  Server,
  Settings,
  Users,
} from 'lucide-react';

/** Pages of the sidebar in order. `key` follows G on the keyboard. */
const pages = [
  { to: '/', label: 'Home', icon: House, key: 'h' },
  { to: '/chat', label: 'Chat', icon: MessageSquare, key: 'c' },
  { to: '/assistants', label: 'Assistants', icon: Bot, key: 'i' },
  { to: '/files', label: 'Files', icon: Files, key: 'f' },
  { to: '/analytics', label: 'Analytics', icon: ChartNoAxesColumn, key: 'a' },
  { to: '/fine-tuning', label: 'Fine-Tuning', icon: FlaskConical, key: 't' },
  { to: '/users', label: 'Users', icon: Users, key: 'u' },
  { to: '/system', label: 'System', icon: Server, key: 'y' },
  { to: '/settings', label: 'Settings', icon: Settings, key: 's' },
] as const;
export type NavigationPage = (typeof pages)[number];

/** Users and System are for administrators. The server enforces that; here only the links are hidden. */
export function pagesFor(user: User): readonly NavigationPage[] {
  return pages.filter(({ to }) => (to !== '/users' && to !== '/system') || user.role === 'Admin');
}

/** Name of the page at a path. */
export const pageNameOf = (path: string): string =>
  pages.find(({ to }) => (to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)))?.label ?? 'Roster';
