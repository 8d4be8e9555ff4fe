export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The key that is held for commands, as it is written on the keyboard. */
export const commandKey = isApple ? '⌘' : 'Ctrl';
