const words = (text: string) => text.trim().replace(/\s+/g, ' ');

/** Whether two answers are the same but for spaces and line ends. */
export const isSameText = (one: string, other: string) => words(one) === words(other);
