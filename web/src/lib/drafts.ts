const prefix = 'draft:';

/** What was typed and not yet sent, kept in this browser until it is sent or the user signs out. */
export function readDraft(key: string): string {
  try {
    return localStorage.getItem(prefix + key) ?? '';
  } catch {
    return '';
  }
}

/** An empty text removes the draft. */
export function writeDraft(key: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(prefix + key);
    else localStorage.setItem(prefix + key, text);
  } catch {
    // Storage is full or refused: the text stays in the field only.
  }
}

/** Removes all drafts: what one person typed is not there for the next. */
export function clearDrafts(): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(prefix)) localStorage.removeItem(key);
    }
  } catch {
    // Storage is refused, so nothing was kept.
  }
}
