import { Menu } from 'lucide-react';
import { createContext, type ReactNode, useContext } from 'react';
import { classNames } from './class-names.ts';
import { IconButton } from './icon-button.tsx';

/** Title in the top bar of small screens, so that the page need not repeat it. */
export const TopBarTitle = createContext<string | null>(null);

/** Opens the sidebar on small screens. */
export const OpenSidebar = createContext<() => void>(() => undefined);

/** The menu button of the top bar; its icon aligns with the page's left edge. */
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

/** Top bar of small screens: menu, title, one action. */
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
