// Runs before the first paint, so that the page never flashes in the wrong theme, colors or width. A separate file
// because the content security policy forbids inline scripts. `src/lib/theme.ts` and `src/app/sidebar-state.ts` write
// the values read here.
(() => {
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      // Storage is blocked: use the default theme.
      return null;
    }
  };
  const root = document.documentElement;
  const choice = read('app-theme');
  const light =
    choice === 'light' || (choice === 'system' && window.matchMedia('(prefers-color-scheme: light)').matches);
  root.dataset.theme = light ? 'light' : 'dark';
  // Visitors never see a user's settings; the application removes them.
  const isVisitor = root.dataset.visitor !== undefined;

  try {
    const palette = JSON.parse(read('app-colors') ?? 'null');
    if (palette && !isVisitor) {
      for (const [name, color] of Object.entries(palette.colors))
        if (/^--[a-z-]+$/.test(name) && /^#[0-9a-f]{6}$/.test(color)) root.style.setProperty(name, color);
      root.dataset.colors = 'custom';
      root.dataset.theme = palette.scheme === 'light' ? 'light' : 'dark';
    }
  } catch {
    // Not written by Roster: keep the theme's own colors.
  }

  // A newer version was installed after this page was sent, so its scripts no longer exist. Reload, but only once in a
  // while, in case something else is wrong.
  const reloadedAt = 'app-reloaded-at';
  addEventListener(
    'error',
    ({ target }) => {
      const file = target?.src ?? target?.href;
      if (typeof file !== 'string' || !file.startsWith(`${location.origin}/assets/`)) return;
      try {
        if (Date.now() - Number(sessionStorage.getItem(reloadedAt)) < 30_000) return;
        sessionStorage.setItem(reloadedAt, String(Date.now()));
      } catch {
        // Storage is blocked, so a reload loop could not be detected.
        return;
      }
      location.reload();
    },
    true,
  );

  // Records input until the application is there, which replays it: `src/app/early-input.ts`.
  const early = {
    pressed: null,
    focused: null,
    composing: false,
    pressing: false,
    holding: false,
    keys: [],
    // Text typed for the search after Ctrl+K; null if it was not pressed.
    typed: null,
    carried: [],
    stop: new AbortController(),
  };
  const listen = (type, listener) =>
    document.addEventListener(type, listener, { capture: true, signal: early.stop.signal });
  listen('click', ({ target }) => {
    early.pressed = target.closest?.('button, input:is([type=radio], [type=checkbox])') ?? early.pressed;
    early.typed = null;
  });
  listen('focusin', ({ target }) => {
    early.focused = target;
  });
  listen('submit', (event) => event.preventDefault());
  // Arrow keys in a list of tabs, as in `src/ui/tabs.tsx`.
  const nextTab = ({ key, target, altKey, ctrlKey, metaKey, shiftKey }) => {
    if (altKey || ctrlKey || metaKey || shiftKey || !target.matches?.('[role=tab]')) return undefined;
    const tabs = [...target.parentElement.children];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!step) return { Home: tabs[0], End: tabs.at(-1) }[key];
    const isMirrored = getComputedStyle(target).direction === 'rtl';
    return tabs.at((tabs.indexOf(target) + (isMirrored ? -step : step)) % tabs.length);
  };
  listen('keydown', (event) => {
    const search = document.querySelector('[aria-keyshortcuts~="Control+K"]');
    if (
      search &&
      (event.ctrlKey || event.metaKey) &&
      !event.altKey &&
      !event.shiftKey &&
      event.key.toLowerCase() === 'k'
    ) {
      event.preventDefault();
      early.pressed = search;
      early.typed ??= [];
      return;
    }
    if (early.typed && !event.ctrlKey && !event.metaKey && !event.altKey && event.key !== 'Shift') {
      event.preventDefault();
      if (event.key !== 'Escape') early.typed.push(event.key);
      else {
        early.typed = null;
        early.pressed = null;
      }
      return;
    }
    const next = nextTab(event);
    if (next) {
      event.preventDefault();
      early.pressed = next;
      // The next arrow key starts from here.
      next.focus();
    }
    // Part of a shortcut; replayed once there is a listener.
    if (event.key.length === 1 && event.key !== ' ' && !event.target.matches?.('input, textarea, select')) {
      const { key, code, altKey, ctrlKey, metaKey, shiftKey } = event;
      early.keys.push({ key, code, altKey, ctrlKey, metaKey, shiftKey, bubbles: true, cancelable: true });
    }
    // Same rule as `src/lib/enter-key.ts`.
    const isOfInputMethod = event.isComposing || event.keyCode === 229;
    const isNewLine =
      event.shiftKey || event.altKey || (!event.ctrlKey && !event.metaKey && matchMedia('(pointer: coarse)').matches);
    if (event.key !== 'Enter' || isOfInputMethod || isNewLine) return;
    if (!event.target.matches?.('[data-sends] textarea')) return;
    event.preventDefault();
    early.pressed = [...event.target.closest('[data-sends]').querySelectorAll('button')].at(-1);
  });
  // Content dropped onto a conversation or pasted into its message. Without this the browser would open dropped files
  // instead of the page.
  const takes = ({ type, target }) =>
    type === 'paste'
      ? target.matches?.('[data-composer] textarea')
      : target.closest?.('main') && document.querySelector('[data-composer]');
  const keepCarried = (event) => {
    const data = event.clipboardData ?? event.dataTransfer;
    if (!data || !takes(event)) return;
    const text = event.type === 'paste' ? data.getData('text/plain') : '';
    const files = [...data.files];
    if (files.length > 0 && text === '') event.preventDefault();
    early.carried.push({ text, files });
  };
  listen('paste', keepCarried);
  listen('drop', keepCarried);
  listen('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files') && takes(event)) event.preventDefault();
  });
  listen('compositionstart', () => {
    early.composing = true;
  });
  for (const type of ['compositionend', 'focusout'])
    listen(type, () => {
      early.composing = false;
    });
  // A release outside the window is noticed when the pointer returns.
  for (const type of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'])
    listen(type, ({ buttons }) => {
      early.pressing = buttons > 0;
    });
  // Space presses a button on keyup.
  for (const type of ['keydown', 'keyup'])
    listen(type, ({ key, target }) => {
      if (key === ' ' && (type === 'keyup' || target.closest?.('button'))) early.holding = type === 'keydown';
    });
  globalThis.__early = early;

  // Zod tries `new Function` when the first schema is created, which the content security policy reports as a
  // violation. This must be set before the first module is evaluated; it is the global that `z.config({ jitless: true
  // })` sets.
  globalThis.__zod_globalConfig = { jitless: true };
})();

// The sidebar's width. Chat needs room: there it is open only if it was opened there.
(() => {
  const { dataset } = document.documentElement;
  if (dataset.visitor !== undefined) return;
  const isChat = /^\/chat(?:\/|$)/.test(location.pathname);
  let stored = null;
  try {
    stored = localStorage.getItem(isChat ? 'app-sidebar-chat' : 'app-sidebar');
  } catch {
    // Storage is blocked: use the usual width.
  }
  if ((stored ?? (isChat ? 'collapsed' : 'open')) === 'collapsed') dataset.sidebar = 'collapsed';
})();
