import { composerAt } from '#web/features/chat/shared/composer-state.ts';
import { replaceIn } from '#web/lib/replace-in.ts';
import { createStore, type Store } from '#web/lib/store.ts';
import { dayIn, localZone } from '#web/lib/text/day.ts';
import { fieldsOf, fillDefaults, isUnfilled, moveFields, type PromptField, stopsOf, textIn } from './fields.ts';
import { selectIn } from './select-in.ts';

export type FillingState = {
  fields: readonly PromptField[];
  /** The field with the caret, else the last that had it; undefined after the last one was left. */
  active: PromptField | undefined;
  /** The message that the places of the fields are in. */
  text: string;
  /** Name of a variable without value and default, for which Send was refused once. */
  missing: string | null;
};

/** `copied`: values by name that further fields with that name have got from the first. */
type Filled = { box: HTMLTextAreaElement; state: Store<FillingState | null>; copied: Map<string, string> };

export const today = () => dayIn(localZone(), new Date());

function change({ state }: Filled, changes: Partial<FillingState>) {
  const now = state.get();
  if (now) state.set({ ...now, ...changes });
}

function goTo(filled: Filled, field: PromptField) {
  change(filled, { active: field });
  selectIn(filled.box, field.start, field.end);
}

/** Follows the message as it is typed. Returns false if no field is left. */
function follow({ box, state }: Filled): boolean {
  const now = state.get();
  if (!now || now.text === box.value) return true;
  const { text: before, active } = now;
  const moved = moveFields(now.fields, { before, after: box.value, caret: box.selectionEnd, active });
  state.set({ ...moved, text: box.value, missing: null });
  return moved.fields.length > 0;
}

function fieldAtCaret({ box, state }: Filled): PromptField | undefined {
  const now = state.get();
  const contains = ({ start, end }: PromptField) => start <= box.selectionStart && box.selectionEnd <= end;
  return now?.active && contains(now.active) ? now.active : now?.fields.find(contains);
}

/** Copies the value of a field to those with the same name that were not filled in by hand. */
function copyValue(filled: Filled, from: PromptField) {
  const { box, state, copied } = filled;
  const { name } = from.variable;
  const value = textIn(box.value, from);
  if (value === from.source) return;
  const follows = (field: PromptField, first: PromptField | undefined) => {
    const own = textIn(box.value, field);
    const isOpen = isUnfilled(box.value, field) || own === copied.get(name);
    return field !== first && field.variable.name === name && own !== value && isOpen;
  };
  for (;;) {
    const fields = state.get()?.fields ?? [];
    const first = fields.find(({ variable }) => variable.name === name);
    const next = fields.find((field) => follows(field, first));
    if (!next) break;
    change(filled, { active: next });
    replaceIn(box, next.start, next.end, value);
    follow(filled);
  }
  copied.set(name, value);
}

/** Finds where Tab or Shift+Tab goes. */
function nextStop(filled: Filled, direction: 'next' | 'back'): PromptField | undefined {
  const { box, state } = filled;
  const current = fieldAtCaret(filled);
  const from = current ? current.start : box.selectionStart - (direction === 'next' ? 1 : 0);
  if (current) copyValue(filled, current);
  const stops = stopsOf(state.get()?.fields ?? []);
  return direction === 'next' ? stops.find(({ start }) => start > from) : stops.findLast(({ start }) => start < from);
}

/**
 * Fills in the variables of an inserted prompt, in the message itself. The message stays ordinary text throughout;
 * only the places of the variables are kept here.
 */
export function createFilling(box: HTMLTextAreaElement, place: string) {
  const filled: Filled = { box, state: createStore<FillingState | null>(null), copied: new Map() };
  const { state, copied } = filled;

  function end() {
    if (!state.get()) return;
    state.set(null);
    copied.clear();
    composerAt(place).set({ finalize: null });
  }

  /** Puts the caret at the end of the message. Variables that are left get their defaults when it is sent. */
  function finish() {
    const isLeft = state.get()?.fields.some((field) => isUnfilled(box.value, field)) ?? false;
    if (isLeft) change(filled, { active: undefined });
    else end();
    selectIn(box, box.value.length, box.value.length);
  }

  /** Goes to the next variable, or back. Returns false if there is none before. */
  function step(direction: 'next' | 'back'): boolean {
    const target = nextStop(filled, direction);
    if (target) goTo(filled, target);
    else if (direction === 'next') finish();
    return target !== undefined || direction === 'next';
  }

  /** Called before the message is sent: false if a variable has neither value nor default, the first time. */
  function finalize(): boolean {
    const now = state.get();
    if (!now) return true;
    const { text, missing } = fillDefaults(now.text, now.fields, today());
    if (missing && now.missing === null) {
      goTo(filled, missing);
      change(filled, { missing: missing.variable.name });
      return false;
    }
    end();
    composerAt(place).set({ text });
    return true;
  }

  return {
    state,
    end,
    step,
    begin(text: string, at: number) {
      const fields = fieldsOf(text, at);
      const [first] = fields;
      if (!first) return;
      state.set({ fields, active: first, text: box.value, missing: null });
      composerAt(place).set({ finalize });
      goTo(filled, first);
    },
    follow() {
      if (!follow(filled)) end();
    },
    /** Notes which field has the caret. */
    look() {
      const now = state.get();
      const field = fieldAtCaret(filled);
      // Right behind a field that was left, the caret is at the end of the message, not in the field.
      const isBehind = now?.active === undefined && box.selectionStart === field?.end;
      if (field && field !== now?.active && !isBehind) change(filled, { active: field });
    },
    /** Fills in the active field and goes on. */
    take(value: string) {
      const field = state.get()?.active;
      if (!field) return;
      replaceIn(box, field.start, field.end, value);
      step('next');
    },
  };
}

export type Filling = ReturnType<typeof createFilling>;
