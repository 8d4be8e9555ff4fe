import { Link, useNavigate } from '@tanstack/react-router';
import { LogOut, PanelLeft, Search } from 'lucide-react';
import { useLogout, useUser } from '#web/data/current-user.ts';
import { errorText } from '#web/lib/api.ts';
import { classNames } from '#web/ui/class-names.ts';
import type { Icon } from '#web/ui/icon.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Kbd } from '#web/ui/kbd.tsx';
import { Mark } from '#web/ui/mark.tsx';
import { toast } from '#web/ui/toast.tsx';
import { Tooltip } from '#web/ui/tooltip.tsx';
import { pagesFor } from './navigation.ts';
import { commandKey } from './shortcuts.ts';

type SidebarProps = {
  collapsed: boolean;
  onToggle: () => void;
  onSearch: () => void;
  /** After a page was chosen: closes the overlay of small screens. */
  onNavigate?: (() => void) | undefined;
};

const rowClass =
  'flex h-9 w-full items-center gap-3 rounded-md px-2.5 font-medium text-muted-foreground transition-colors duration-120 ' +
  'hover:bg-hover hover:text-foreground max-md:h-11 aria-[current=page]:bg-active aria-[current=page]:text-foreground';

/** The pages, in the specified order; collapsed to an icon bar where the user wants the room. */
export function Sidebar({ collapsed, onToggle, onSearch, onNavigate }: SidebarProps) {
  const user = useUser();
  const toggleLabel = collapsed ? 'Expand sidebar' : 'Collapse sidebar';
  return (
    <div className="flex h-full flex-col gap-4 p-2.5">
      <div className={classNames('flex items-center', collapsed ? 'flex-col gap-2' : 'h-10 gap-2 ps-1.5')}>
        <Link
          to="/"
          onClick={onNavigate}
          className={classNames('flex min-w-0 items-center gap-2.5 rounded-sm', collapsed ? 'h-10' : 'flex-1')}
        >
          <Mark className="size-6 shrink-0" />
          <span className={collapsed ? 'sr-only' : 'font-semibold text-lg tracking-[-0.012em]'}>Roster</span>
        </Link>
        <IconButton label={toggleLabel} icon={PanelLeft} side="right" aria-expanded={!collapsed} onClick={onToggle} />
      </div>
      <Tooltip content={`Search (${commandKey} K)`} side="right" disabled={!collapsed}>
        <button
          type="button"
          onClick={onSearch}
          aria-keyshortcuts="Control+K Meta+K"
          className={classNames(
            'flex h-9 items-center gap-3 rounded-md border border-border text-muted-foreground transition-colors duration-120 hover:border-border-strong hover:text-foreground max-md:h-11',
            collapsed ? 'justify-center' : 'px-2.5',
          )}
        >
          <Search aria-hidden className="size-4" />
          <span className={collapsed ? 'sr-only' : 'flex-1 text-start'}>Search</span>
          {!collapsed && (
            <span className="flex gap-1 max-md:hidden">
              <Kbd>{commandKey}</Kbd>
              <Kbd>K</Kbd>
            </span>
          )}
        </button>
      </Tooltip>
      <nav aria-label="Main" className="min-h-0 flex-1 overflow-y-auto">
        <ul className="grid gap-0.5">
          {pagesFor(user).map(({ to, label, icon: IconPart }) => (
            <li key={to}>
              <Tooltip content={label} side="right" disabled={!collapsed}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  onClick={onNavigate}
                  className={classNames(rowClass, collapsed && 'justify-center')}
                >
                  <RowContent icon={IconPart} label={label} collapsed={collapsed} />
                </Link>
              </Tooltip>
            </li>
          ))}
        </ul>
      </nav>
      <Account collapsed={collapsed} />
    </div>
  );
}

function RowContent({ icon: IconPart, label, collapsed }: { icon: Icon; label: string; collapsed: boolean }) {
  return (
    <>
      <IconPart aria-hidden className="size-4" />
      <span className={collapsed ? 'sr-only' : 'truncate'}>{label}</span>
    </>
  );
}

function Account({ collapsed }: { collapsed: boolean }) {
  const user = useUser();
  const logout = useLogout();
  const navigate = useNavigate();
  const signOut = async () => {
    try {
      await logout.mutateAsync();
      toast({ title: 'Logged out', description: "You've been signed out." });
      await navigate({ to: '/auth' });
    } catch (error) {
      toast({ title: 'Logout failed', description: errorText(error), variant: 'destructive' });
    }
  };
  return (
    <div className="border-border border-t pt-2.5">
      {!collapsed && (
        <div className="mb-2 px-2.5 pt-1">
          <p className="truncate font-medium" title={user.name ?? user.email}>
            {user.name ?? user.email}
          </p>
          <p className="truncate text-muted-foreground text-xs" title={user.email}>
            {user.name ? user.email : user.role}
          </p>
        </div>
      )}
      <Tooltip content="Logout" side="right" disabled={!collapsed}>
        <button
          type="button"
          aria-disabled={logout.isPending || undefined}
          onClick={() => {
            if (!logout.isPending) void signOut();
          }}
          className={classNames(rowClass, collapsed && 'justify-center')}
        >
          <RowContent icon={LogOut} label={logout.isPending ? 'Logging out...' : 'Logout'} collapsed={collapsed} />
        </button>
      </Tooltip>
    </div>
  );
}
