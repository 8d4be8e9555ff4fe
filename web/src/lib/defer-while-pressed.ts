let isHeld = false;
let isListening = false;
const waiting = new Set<() => void>();

function release() {
  if (!isHeld) return;
  isHeld = false;
  // After the click that the release makes.
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
  // Of the window, not of what is in it.
  addEventListener('blur', ({ target }) => target === window && release());
  // A release outside of the window is noticed when the pointer comes back.
  addEventListener('pointermove', ({ buttons }) => buttons === 0 && release(), { capture: true, passive: true });
}

/**
 * Runs at once, or while a button, link or the like is held down, after its release: a press is lost where what is pressed moves away or is
 * replaced before it is let go. What is asked for several times while it waits runs once.
 */
export function deferWhilePressed(run: () => void): void {
  listen();
  if (isHeld) waiting.add(run);
  else run();
}
