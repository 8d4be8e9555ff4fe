import type { User } from '@roster/contracts/auth';
import type { UseNavigateResult } from '@tanstack/react-router';
import {
  Activity,
  Bot,
  CalendarClock,
  Database,
  FlaskConical,
  Folder,
  Import,
  KeyRound,
  ListOrdered,
  type LucideIcon,
  MailPlus,
  MonitorSmartphone,
  NotebookPen,
  PiggyBank,
  ReceiptText,
  ShieldCheck,
  SlidersHorizontal,
  SquareSplitHorizontal,
  Trash2,
  UserRound,
  Wrench,
} from 'lucide-react';
import type { SettingsTab } from '#web/features/account/tabs.ts';
import type { FineTuningTab } from '#web/features/fine-tuning/tabs.ts';
import type { AnalyticsTab } from '#web/features/usage/shared/views.ts';
import type { UsersTab } from '#web/features/users/tabs.ts';

type Navigate = UseNavigateResult<string>;

/** A page or tab of the command palette beside the pages of the sidebar. */
type Place = {
  id: string;
  label: string;
  /** Other words that people look for. */
  names: string;
  icon: LucideIcon;
  /** Only administrators can open it. */
  isForAdmins?: boolean;
  open: (navigate: Navigate) => void;
};

const settings = (tab: SettingsTab) => (navigate: Navigate) => void navigate({ to: '/settings', search: { tab } });
const training = (tab: FineTuningTab) => (navigate: Navigate) => void navigate({ to: '/fine-tuning', search: { tab } });
const costs = (tab: AnalyticsTab) => (navigate: Navigate) => void navigate({ to: '/analytics', search: { tab } });
const users = (tab: UsersTab) => ({
  isForAdmins: true,
  open: (navigate: Navigate) => void navigate({ to: '/users', search: { tab } }),
});
const page = (to: '/prompts' | '/projects' | '/trash' | '/assistants/models') => (navigate: Navigate) =>
  void navigate({ to });

const places: readonly Place[] = [
  {
    id: 'projects',
    label: 'Projects',
    names: 'folders groups workspaces',
    icon: Folder,
    open: page('/projects'),
  },
  {
    id: 'prompts',
    label: 'Prompts',
    names: 'saved texts snippets templates',
    icon: NotebookPen,
    open: page('/prompts'),
  },
  {
    id: 'trash',
    label: 'Open trash',
    names: 'deleted conversations bin restore undelete',
    icon: Trash2,
    open: page('/trash'),
  },
  {
    id: 'account',
    label: 'Settings: Account',
    names: 'profile name email password passkey second factor authenticator export delete close google github',
    icon: UserRound,
    open: settings('account'),
  },
  {
    id: 'sessions',
    label: 'Settings: Sessions',
    names: 'devices signed in sign out everywhere',
    icon: MonitorSmartphone,
    open: settings('sessions'),
  },
  {
    id: 'api-keys',
    label: 'Settings: API Keys',
    names: 'provider openai key access tokens',
    icon: KeyRound,
    open: settings('api-keys'),
  },
  {
    id: 'assistants',
    label: 'Settings: Assistants',
    names: 'edit list manage bots agents gpts',
    icon: Bot,
    open: settings('assistants'),
  },
  {
    id: 'tools',
    label: 'Settings: Tools',
    names: 'mcp servers openapi plugins functions connectors commands',
    icon: Wrench,
    open: settings('tools'),
  },
  {
    id: 'import-conversations',
    label: 'Import conversations',
    names: 'chatgpt claude librechat open webui move in migrate settings import data',
    icon: Import,
    open: settings('import'),
  },
  {
    id: 'preferences',
    label: 'Settings: Preferences',
    names: 'theme dark light appearance notifications sound enter key prices titles',
    icon: SlidersHorizontal,
    open: settings('preferences'),
  },
  {
    id: 'budgets',
    label: 'Analytics: Budgets',
    names: 'spending limit hard stop monthly',
    icon: PiggyBank,
    open: costs('budgets'),
  },
  {
    id: 'all-requests',
    label: 'Analytics: Requests',
    names: 'calls history usage log',
    icon: ListOrdered,
    open: costs('requests'),
  },
  {
    id: 'provider-costs',
    label: 'Analytics: Provider',
    names: 'admin key bill invoice organization figures',
    icon: ReceiptText,
    open: costs('provider'),
  },
  {
    id: 'tuned-models',
    label: 'Fine-Tuning: Models',
    names: 'tuned custom trained',
    icon: FlaskConical,
    open: training('models'),
  },
  {
    id: 'datasets',
    label: 'Fine-Tuning: Datasets',
    names: 'examples training data',
    icon: Database,
    open: training('datasets'),
  },
  {
    id: 'comparisons',
    label: 'Fine-Tuning: Compare',
    names: 'comparisons side by side evaluation judge models',
    icon: SquareSplitHorizontal,
    open: training('compare'),
  },
  {
    id: 'retiring-models',
    label: 'Models',
    names: 'retire retirement successor migrate deprecated shutdown ends',
    icon: CalendarClock,
    open: page('/assistants/models'),
  },
  { id: 'invitations', label: 'Users: Invitations', names: 'invite people', icon: MailPlus, ...users('invitations') },
  {
    id: 'activity',
    label: 'Users: Activity',
    names: 'security events audit log',
    icon: Activity,
    ...users('activity'),
  },
  {
    id: 'second-factor-policy',
    label: 'Users: Second Factor',
    names: 'require two-factor 2fa mfa policy',
    icon: ShieldCheck,
    ...users('second-factor'),
  },
];

export const placesFor = (user: User): readonly Place[] =>
  places.filter(({ isForAdmins }) => !isForAdmins || user.role === 'Admin');
