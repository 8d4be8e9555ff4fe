const prefix = 'Called ';

/** The note of an answer that ends with function calls. */
export const functionCallNote = (names: Iterable<string>) =>
  `${prefix}${new Intl.ListFormat('en').format(new Set(names))}`;

export const isFunctionCallNote = (note: string) => note.startsWith(prefix);
