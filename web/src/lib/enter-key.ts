type Key = {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  isComposing: boolean;
  /** Deprecated, and the only word that Safari has for this. */
  keyCode: number;
};

/** The code of a key that an input method has taken. */
const takenByInputMethod = 229;

/**
 * Whether a key belongs to an input method: Enter confirms a word there, and Esc drops it. Safari tells the end of the
 * composition before that Enter, which has no sign of it but its code.
 */
export const isImeKey = ({ isComposing, keyCode }: Pick<Key, 'isComposing' | 'keyCode'>): boolean =>
  isComposing || keyCode === takenByInputMethod;

/** Whether Enter does what the field is for. */
export const isEnter = (event: Key): boolean => event.key === 'Enter' && !isImeKey(event);

const hasTouchKeyboard = () => matchMedia('(pointer: coarse)').matches;

/**
 * Whether a key sends what stands in a field of several lines. The keyboard on a screen has no Shift+Enter: there Enter
 * begins a new line, and a button sends.
 */
export const isSubmitKey = (event: Key): boolean =>
  isEnter(event) && !event.shiftKey && !event.altKey && (event.ctrlKey || event.metaKey || !hasTouchKeyboard());
