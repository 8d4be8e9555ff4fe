import { Menu } from 'lucide-react';
import { createContext, type ReactNode, useContext } from 'react';
import { classNames } from './class-names.ts';
import { IconButton } from './icon-button.tsx';

/** The name that the bar of a small screen shows, so that the page below does not say it again. */
export const TopBarTitle = createContext<string | null>(null);

/** Opens the sidebar on small screens. */
export const OpenSidebar = createContext<() => void>(() => undefined);

/** The button at the start of a small screen's bar; its mark stands on the page's left edge. */
export function MenuButton() {
  const open = useContext(OpenSidebar);
  return (
    <IconButton
      label="Open sidebar"
      icon={Menu}
      side="bottom"
      onClick={open}
      className="-ms-3 size-10 shrink-0 md:hidden"
    />
  );
}

/** The bar at the top of a small screen: menu, title, one action. */
export function TopBar({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <header
      className={classNames(
        'flex h-14 shrink-0 items-center gap-1 border-border border-b bg-background pe-2 ps-4',
        className,
      )}
    >
      <MenuButton />
      {children}
    </header>
  );
}
