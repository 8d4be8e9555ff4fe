let isHeld = false;
let isListening = false;
const waiting = new Set<() => void>();

function release() {
  if (!isHeld) return;
  isHeld = false;
  // After the click that the release triggers.
  requestAnimationFrame(() => {
    if (isHeld) return;
    const due = [...waiting];
    waiting.clear();
    for (const run of due) run();
  });
}

function listen() {
  if (isListening) return;
  isListening = true;
  addEventListener(
    'pointerdown',
    ({ target, button }) => {
      isHeld = button === 0 && target instanceof Element && target.closest('button, a, summary, label') !== null;
    },
    { capture: true },
  );
  for (const type of ['pointerup', 'pointercancel', 'contextmenu']) addEventListener(type, release, { capture: true });
  // Window blur only, not that of elements inside.
  addEventListener('blur', ({ target }) => target === window && release());
  // A release outside the window is noticed when the pointer returns.
  addEventListener('pointermove', ({ buttons }) => buttons === 0 && release(), { capture: true, passive: true });
}

/**
 * Runs at once, or, while a button or link is held down, after its release: a click is lost if its target moves or is
 * replaced before that. The same function runs only once.
 */
export function deferWhilePressed(run: () => void): void {
  listen();
  if (isHeld) waiting.add(run);
  else run();
}
