type Key = {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  isComposing: boolean;
  /** Deprecated, but the only indication in Safari. */
  keyCode: number;
};

/** `keyCode` of a key handled by an input method. */
const takenByInputMethod = 229;

/**
 * True if an input method handles the key: Enter confirms a word there and Esc drops it. Safari ends the composition
 * before that Enter, which then differs only by its `keyCode`.
 */
export const isImeKey = ({ isComposing, keyCode }: Pick<Key, 'isComposing' | 'keyCode'>): boolean =>
  isComposing || keyCode === takenByInputMethod;

/** True if Enter should trigger the field's action. */
export const isEnter = (event: Key): boolean => event.key === 'Enter' && !isImeKey(event);

const hasTouchKeyboard = () => matchMedia('(pointer: coarse)').matches;

/**
 * True if the key submits a multi-line field. On-screen keyboards have no Shift+Enter: there Enter inserts a line, and
 * a button submits.
 */
export const isSubmitKey = (event: Key): boolean =>
  isEnter(event) && !event.shiftKey && !event.altKey && (event.ctrlKey || event.metaKey || !hasTouchKeyboard());
