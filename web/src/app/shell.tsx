import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { SquarePen } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useState } from 'react';
import { afterContent } from '#web/lib/app-ready.ts';
import { captureKeys, takeCapturedKeys, takeEarlyKeys } from '#web/lib/keyboard/key-capture.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { readStored, writeStored } from '#web/lib/storage/storage.ts';
import { classNames } from '#web/ui/class-names.ts';
import { OpenSidebar, TopBar, TopBarTitle } from '#web/ui/top-bar.tsx';
import { Footer } from './footer.tsx';
import { SignedInOnly } from './guards.tsx';
import { MainLandmarkContext } from './main-landmark-context.ts';
import { pageNameOf } from './navigation.ts';
import { useShortcuts } from './shortcuts.ts';
import { Sidebar } from './sidebar.tsx';

/**
 * While an on-screen keyboard covers part of the window (iOS overlays it without changing the reported height), a page
 * that fills the window gets the visible height. Not set on the root element: the theme owns its variables.
 */
function useVisibleHeight(isOn: boolean): void {
  useEffect(() => {
    const seen = window.visualViewport;
    if (!isOn || !seen) return;
    const { style } = document.body;
    const fit = () => {
      // When zoomed in by pinching, only part of the page is visible on purpose.
      const isCovered = seen.scale === 1 && window.innerHeight - seen.height > 80;
      if (!isCovered) return void style.removeProperty('--visible-height');
      style.setProperty('--visible-height', `${seen.height}px`);
      // The browser may have scrolled the page to reveal the field; that is no longer needed.
      if (seen.offsetTop > 0 || window.scrollY > 0) window.scrollTo(0, 0);
    };
    fit();
    seen.addEventListener('resize', fit);
    seen.addEventListener('scroll', fit);
    return () => {
      seen.removeEventListener('resize', fit);
      seen.removeEventListener('scroll', fit);
      style.removeProperty('--visible-height');
    };
  }, [isOn]);
}

const storageKey = 'app-sidebar';
const chatStorageKey = 'app-sidebar-chat';

/** Chat needs the width for its list: there the sidebar is open only if it was opened there. */
const readCollapsed = () => ({
  chat: readStored(chatStorageKey) !== 'open',
  others: readStored(storageKey) === 'collapsed',
});

/** CSS reads this attribute, which `public/first.js` sets before the first paint. */
function show(collapsed: boolean) {
  if (collapsed) document.documentElement.dataset.sidebar = 'collapsed';
  else delete document.documentElement.dataset.sidebar;
}

/**
 * True if the sidebar is collapsed to icons; stored in this browser until the session ends (`lib/storage/user-storage.ts`).
 */
function useSidebarCollapsed(isChat: boolean): [collapsed: boolean, toggle: () => void] {
  const [stored, setStored] = useState(readCollapsed);
  const collapsed = isChat ? stored.chat : stored.others;
  useLayoutEffect(() => show(collapsed), [collapsed]);
  const toggle = () => {
    setStored({ ...stored, [isChat ? 'chat' : 'others']: !collapsed });
    writeStored(isChat ? chatStorageKey : storageKey, collapsed ? 'open' : 'collapsed');
  };
  return [collapsed, toggle];
}

const CommandPalette = lazyPart(async () => (await import('./command-palette.tsx')).CommandPalette);
const ShortcutList = lazyPart(async () => (await import('./shortcut-list.tsx')).ShortcutList);
const SidebarLayer = lazyPart(async () => (await import('./sidebar-layer.tsx')).SidebarLayer);
// The first paint uses this browser's copy, so the account's answer may come later.
const AccountAppearance = lazyPart(
  async () => (await afterContent(() => import('./account-appearance.ts'))).AccountAppearance,
);
// Notices and finished jobs can wait until the page is usable.
const AccountNotices = lazyPart(async () => (await import('./account-notices.tsx')).AccountNotices);
const JobNotifications = lazyPart(async () => (await import('./job-notifications.ts')).JobNotifications);

const newChatClass =
  'inline-flex size-10 items-center justify-center rounded-md text-muted-foreground transition-colors duration-120 hover:bg-hover hover:text-foreground';

type Layer = 'sidebar' | 'palette' | 'shortcuts';

/** Layout of all pages that need a signed-in user. */
export function SignedInArea() {
  return (
    <SignedInOnly>
      <Shell />
    </SignedInOnly>
  );
}

function Shell() {
  const path = useRouterState({ select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname });
  const fillsWindow = path === '/chat' || path.startsWith('/chat/');
  const [collapsed, toggleCollapsed] = useSidebarCollapsed(fillsWindow);
  const [layer, setLayer] = useState<Layer | null>(null);
  const openPalette = () => {
    setLayer('palette');
    captureKeys(() => setLayer(null), takeEarlyKeys());
    CommandPalette.load().catch(takeCapturedKeys);
  };
  const pageName = pageNameOf(path);
  const openSidebar = useCallback(() => setLayer('sidebar'), []);
  useVisibleHeight(fillsWindow);
  useShortcuts({ openPalette, openShortcutList: () => setLayer('shortcuts'), toggleSidebar: toggleCollapsed });

  return (
    <OpenSidebar value={openSidebar}>
      <TopBarTitle value={pageName}>
        <div className={classNames('flex', fillsWindow ? 'h-(--visible-height,100dvh) overflow-hidden' : 'min-h-dvh')}>
          <a
            href="#main"
            className="sr-only z-90 rounded-md bg-popover px-3 py-2 shadow-float focus:not-sr-only focus:fixed focus:top-2 focus:inset-s-2"
          >
            Skip to content
          </a>
          <aside
            aria-label="Sidebar"
            data-collapsible
            className="sticky top-0 h-dvh w-60 shrink-0 border-border border-e bg-card max-md:hidden collapsed:w-14"
          >
            <Sidebar collapsed={collapsed} isChat={fillsWindow} onToggle={toggleCollapsed} onSearch={openPalette} />
          </aside>
          <div
            className={classNames(
              'flex min-w-0 flex-1 flex-col',
              // The footer would jump when the content arrives.
              !fillsWindow && 'has-[main_[data-loading]]:[&>footer]:hidden',
            )}
          >
            {!fillsWindow && <NarrowTopBar pageName={pageName} />}
            <main id="main" tabIndex={-1} className="min-h-0 flex-1 outline-none">
              <MainLandmarkContext value={true}>
                <Outlet />
              </MainLandmarkContext>
            </main>
            {!fillsWindow && <Footer />}
          </div>
          <DeferredParts layer={layer} onClose={() => setLayer(null)} onSearch={openPalette} />
        </div>
      </TopBarTitle>
    </OpenSidebar>
  );
}

function NarrowTopBar({ pageName }: { pageName: string }) {
  return (
    <TopBar className="sticky top-0 z-30 md:hidden">
      <p className="min-w-0 flex-1 truncate font-semibold text-lg tracking-[-0.012em]">{pageName}</p>
      <Link to="/chat" search={{ new: true }} aria-label="New Chat" className={newChatClass}>
        <SquarePen aria-hidden className="size-4" />
      </Link>
    </TopBar>
  );
}

type LaterPartsProps = { layer: Layer | null; onClose: () => void; onSearch: () => void };

/** Parts that are not needed for the first view: background watchers and layers. */
function DeferredParts({ layer, onClose, onSearch }: LaterPartsProps) {
  const isSettled = useAfterDelay();
  return (
    <>
      <AccountAppearance />
      {isSettled && <JobNotifications />}
      {isSettled && <AccountNotices />}
      {layer === 'sidebar' && <SidebarLayer onClose={onClose} onSearch={onSearch} />}
      {layer === 'palette' && <CommandPalette onClose={onClose} />}
      {layer === 'shortcuts' && <ShortcutList onClose={onClose} />}
    </>
  );
}

/**
 * True once the page has been open for a moment. Layers are preloaded then, so that text typed right after Ctrl+K finds
 * one.
 */
function useAfterDelay(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    let isOpen = true;
    const settle = async () => {
      if (!isOpen) return;
      for (const layer of [SidebarLayer, CommandPalette, ShortcutList]) layer.preload();
      setSettled(true);
    };
    const timer = setTimeout(() => void afterContent(settle), 500);
    return () => {
      isOpen = false;
      clearTimeout(timer);
    };
  }, []);
  return isSettled;
}
