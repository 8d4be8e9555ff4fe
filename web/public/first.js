// Runs before the first paint, so that the page never flashes in the wrong theme, colors or width. A file of its own
// because the content security policy allows no inline script. `src/lib/theme.ts` and `src/app/sidebar-state.ts` write
// what is read here, and go on from it.
(() => {
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      // Storage is refused: the default theme is used.
      return null;
    }
  };
  const root = document.documentElement;
  const choice = read('app-theme');
  const light =
    choice === 'light' || (choice === 'system' && window.matchMedia('(prefers-color-scheme: light)').matches);
  root.dataset.theme = light ? 'light' : 'dark';
  // What is a person's own is not shown to a visitor; the application removes it.
  const isVisitor = root.dataset.visitor !== undefined;
  if (!isVisitor && read('app-sidebar') === 'collapsed') root.dataset.sidebar = 'collapsed';

  try {
    const palette = JSON.parse(read('app-colors') ?? 'null');
    if (palette && !isVisitor) {
      for (const [name, color] of Object.entries(palette.colors))
        if (/^--[a-z-]+$/.test(name) && /^#[0-9a-f]{6}$/.test(color)) root.style.setProperty(name, color);
      root.dataset.colors = 'custom';
      root.dataset.theme = palette.scheme === 'light' ? 'light' : 'dark';
    }
  } catch {
    // Not something Roster wrote: the theme's own colors stay.
  }

  // Its scripts are gone: a newer version was installed since the page was sent. Once in a while only, whatever else it may be.
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
        // Storage is refused: nobody would know that it was reloaded.
        return;
      }
      location.reload();
    },
    true,
  );

  // What is pressed before the application is there, it does when it comes: `src/app/early-input.ts`.
  const early = {
    pressed: null,
    focused: null,
    composing: false,
    pressing: false,
    holding: false,
    keys: [],
    // Typed for the search that Ctrl+K has asked for; null: it was not.
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
  // Where a key leads in a list of tabs, as in `src/ui/tabs.tsx`.
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
      // The next arrow goes on from here.
      next.focus();
    }
    // Of a shortcut: it counts once there is a listener.
    if (event.key.length === 1 && event.key !== ' ' && !event.target.matches?.('input, textarea, select')) {
      const { key, code, altKey, ctrlKey, metaKey, shiftKey } = event;
      early.keys.push({ key, code, altKey, ctrlKey, metaKey, shiftKey, bubbles: true, cancelable: true });
    }
    // As `src/lib/enter-key.ts` has it.
    const isOfInputMethod = event.isComposing || event.keyCode === 229;
    const isNewLine =
      event.shiftKey || event.altKey || (!event.ctrlKey && !event.metaKey && matchMedia('(pointer: coarse)').matches);
    if (event.key !== 'Enter' || isOfInputMethod || isNewLine) return;
    if (!event.target.matches?.('[data-sends] textarea')) return;
    event.preventDefault();
    early.pressed = [...event.target.closest('[data-sends]').querySelectorAll('button')].at(-1);
  });
  // Dropped onto a conversation or pasted into its message. Dropped files would be opened in the place of the page.
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
  // A release outside of the window is noticed when the pointer comes back.
  for (const type of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'])
    listen(type, ({ buttons }) => {
      early.pressing = buttons > 0;
    });
  // A held space bar presses a button when it is let go.
  for (const type of ['keydown', 'keyup'])
    listen(type, ({ key, target }) => {
      if (key === ' ' && (type === 'keyup' || target.closest?.('button'))) early.holding = type === 'keydown';
    });
  globalThis.__early = early;

  // Zod tries `new Function` as soon as a schema is made, which the content security policy reports as a violation.
  // It has to be told before the first module is evaluated; this is where `z.config({ jitless: true })` keeps it.
  globalThis.__zod_globalConfig = { jitless: true };
})();
