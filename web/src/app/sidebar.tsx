import { Link } from '@tanstack/react-router';
import { LogOut, PanelLeft, Search, SquarePen } from 'lucide-react';
import { useUser } from '#web/api/current-user.ts';
import { commandKey } from '#web/lib/keyboard/keyboard.ts';
import type { Icon } from '#web/ui/icon.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Kbd } from '#web/ui/kbd.tsx';
import { Logo } from '#web/ui/logo.tsx';
import { Tooltip } from '#web/ui/menus/tooltip.tsx';
import { pagesFor } from './navigation.ts';
import { newChatAria, newChatKeys } from './shortcuts.ts';
import { useSignOut } from './use-sign-out.ts';

type SidebarProps = {
  collapsed: boolean;
  /** On Chat, which has its own search, New Chat and no footer. */
  isChat?: boolean;
  onToggle: () => void;
  onSearch: () => void;
  /** Closes the overlay on small screens after navigation. */
  onNavigate?: (() => void) | undefined;
};

const rowClass =
  'flex h-9 w-full items-center gap-3 rounded-md px-2.5 font-medium text-muted-foreground transition-colors duration-120 ' +
  'hover:bg-hover hover:text-foreground max-md:h-11 collapsed:justify-center aria-[current=page]:bg-active aria-[current=page]:text-foreground';

/** Page links in the specified order. Collapsing is done in CSS only, so that the prerendered page looks the same. */
export function Sidebar({ collapsed, isChat = false, onToggle, onSearch, onNavigate }: SidebarProps) {
  const toggleLabel = collapsed ? 'Expand sidebar' : 'Collapse sidebar';
  return (
    <div className="flex h-full flex-col gap-4 p-2.5">
      <div className="flex h-10 items-center gap-2 ps-1.5 collapsed:h-auto collapsed:flex-col collapsed:ps-0">
        <Link
          to="/"
          onClick={onNavigate}
          className="flex min-w-0 flex-1 items-center gap-2.5 rounded-sm collapsed:h-10 collapsed:flex-none"
        >
          <Logo className="size-6 shrink-0" />
          <span className="font-semibold text-lg tracking-[-0.012em] collapsed:sr-only">Roster</span>
        </Link>
        <IconButton
          // The prerendered page does not know the collapsed state; early input finds the button by this name.
          name="sidebar"
          label={toggleLabel}
          icon={PanelLeft}
          side="right"
          aria-expanded={!collapsed}
          onClick={onToggle}
        />
      </div>
      {/* Kept for Ctrl+K before the application is there. */}
      <div className={isChat ? 'hidden' : 'contents'}>
        <SearchButton collapsed={collapsed} onSearch={onSearch} />
        <NewChatLink collapsed={collapsed} onNavigate={onNavigate} />
      </div>
      <Pages collapsed={collapsed} onNavigate={onNavigate} />
      <Account collapsed={collapsed} />
      {isChat && <LegalLinks />}
    </div>
  );
}

const legalClass = 'rounded-xs hover:text-foreground hover:underline';

/** Chat has no footer, which would take height from the conversation. */
const LegalLinks = () => (
  <nav aria-label="Legal" className="-mt-1 flex gap-4 px-2.5 pb-1 text-muted-foreground text-xs collapsed:hidden">
    <Link to="/terms" className={legalClass}>
      Terms of Use
    </Link>
    <Link to="/privacy" className={legalClass}>
      Privacy Policy
    </Link>
  </nav>
);

function SearchButton({ collapsed, onSearch }: Pick<SidebarProps, 'collapsed' | 'onSearch'>) {
  return (
    <Tooltip content={`Search (${commandKey} K)`} side="right" disabled={!collapsed}>
      <button
        type="button"
        onClick={onSearch}
        aria-keyshortcuts="Control+K Meta+K"
        className="flex h-9 items-center gap-3 rounded-md border border-border px-2.5 text-muted-foreground transition-colors duration-120 hover:border-border-strong hover:text-foreground max-md:h-11 collapsed:justify-center collapsed:px-0"
      >
        <Search aria-hidden className="size-4" />
        <span className="flex-1 text-start collapsed:sr-only">Search</span>
        <Keys keys={[commandKey, 'K']} />
      </button>
    </Tooltip>
  );
}

function NewChatLink({ collapsed, onNavigate }: Pick<SidebarProps, 'collapsed' | 'onNavigate'>) {
  return (
    <Tooltip content={`New Chat (${newChatKeys.join(' ')})`} side="right" disabled={!collapsed}>
      <Link
        to="/chat"
        search={{ new: true }}
        activeProps={{}}
        onClick={onNavigate}
        aria-keyshortcuts={newChatAria}
        className="-mt-2 flex h-9 items-center gap-3 rounded-md border border-border px-2.5 font-medium transition-colors duration-120 hover:border-border-strong hover:bg-hover max-md:h-11 collapsed:justify-center collapsed:px-0"
      >
        <SquarePen aria-hidden className="size-4" />
        <span className="flex-1 collapsed:sr-only">New Chat</span>
        <Keys keys={newChatKeys} />
      </Link>
    </Tooltip>
  );
}

const Keys = ({ keys }: { keys: readonly string[] }) => (
  <span className="flex gap-1 max-md:hidden collapsed:hidden">
    {keys.map((key) => (
      <Kbd key={key}>{key}</Kbd>
    ))}
  </span>
);

function Pages({ collapsed, onNavigate }: Pick<SidebarProps, 'collapsed' | 'onNavigate'>) {
  return (
    <nav aria-label="Main" className="min-h-0 flex-1 overflow-y-auto">
      <ul className="grid gap-0.5">
        {pagesFor(useUser()).map(({ to, label, icon }) => (
          <li key={to}>
            <Tooltip content={label} side="right" disabled={!collapsed}>
              <Link
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                onClick={onNavigate}
                className={rowClass}
              >
                <RowContent icon={icon} label={label} />
              </Link>
            </Tooltip>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function RowContent({ icon: IconPart, label }: { icon: Icon; label: string }) {
  return (
    <>
      <IconPart aria-hidden className="size-4" />
      <span className="truncate collapsed:sr-only">{label}</span>
    </>
  );
}

function Account({ collapsed }: { collapsed: boolean }) {
  const user = useUser();
  const signOut = useSignOut();
  return (
    <div className="border-border border-t pt-2.5">
      <div className="mb-2 px-2.5 pt-1 collapsed:hidden">
        <p dir="auto" className="truncate font-medium" title={user.name ?? user.email}>
          {user.name ?? user.email}
        </p>
        <p className="truncate text-muted-foreground text-xs" title={user.email}>
          {user.name ? user.email : user.role}
        </p>
      </div>
      <Tooltip content="Logout" side="right" disabled={!collapsed}>
        <button type="button" aria-disabled={!signOut || undefined} onClick={signOut} className={rowClass}>
          <RowContent icon={LogOut} label={signOut ? 'Logout' : 'Logging out...'} />
        </button>
      </Tooltip>
    </div>
  );
}
