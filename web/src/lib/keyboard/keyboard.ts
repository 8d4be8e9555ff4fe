export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Label of the command modifier on this keyboard. */
export const commandKey = isApple ? '⌘' : 'Ctrl';
