const words = (text: string) => text.trim().replace(/\s+/g, ' ');

/** True if two answers differ only in spaces and line ends. */
export const isSameText = (one: string, other: string) => words(one) === words(other);
