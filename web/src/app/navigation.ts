import type { User } from '@roster/contracts/auth';
import { ChartNoAxesColumn, Files, FlaskConical, House, MessageSquare, Settings, Users } from 'lucide-react';

/** The pages of the sidebar, in its order. `key` follows G on the keyboard. */
const pages = [
  { to: '/', label: 'Home', icon: House, key: 'h' },
  { to: '/chat', label: 'Chat', icon: MessageSquare, key: 'c' },
  { to: '/files', label: 'Files', icon: Files, key: 'f' },
  { to: '/analytics', label: 'Analytics', icon: ChartNoAxesColumn, key: 'a' },
  { to: '/fine-tuning', label: 'Fine-Tuning', icon: FlaskConical, key: 't' },
  { to: '/users', label: 'Users', icon: Users, key: 'u' },
  { to: '/settings', label: 'Settings', icon: Settings, key: 's' },
] as const;
export type NavigationPage = (typeof pages)[number];

/** Users is there for administrators only; the server holds that rule, this only leaves the link out. */
export function pagesFor(user: User): readonly NavigationPage[] {
  return pages.filter((page) => page.to !== '/users' || user.role === 'Admin');
}

/** What the page at an address is called. */
export const pageNameOf = (path: string): string =>
  pages.find(({ to }) => (to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)))?.label ?? 'Roster';
