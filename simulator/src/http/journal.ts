export type JournalEntry = {
  id: string;
  /** Milliseconds since 1970. */
  time: number;
  method: string;
  path: string;
  query: string;
  /** The last four characters only: a journal must not become a list of keys. */
  authorization: string | null;
  body: unknown;
  status: number | null;
  /** The client left before the answer was complete. */
  aborted: boolean;
  /** Answer tokens that were written, read or not. */
  tokens: number;
};

const KEPT = 1_000;

/** Records all requests for tests. */
export class Journal {
  #entries: JournalEntry[] = [];

  begin(entry: Pick<JournalEntry, 'id' | 'time' | 'method' | 'path' | 'query' | 'authorization'>): JournalEntry {
    const started: JournalEntry = { ...entry, body: null, status: null, aborted: false, tokens: 0 };
    this.#entries.push(started);
    if (this.#entries.length > KEPT) this.#entries.shift();
    return started;
  }

  entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  clear(): void {
    this.#entries = [];
  }
}
