import type { ImportSource, LeftOutReason } from '@roster/contracts/imports';

export type ImportedMessage = {
  /** Unique in its conversation. */
  sourceId: string;
  /** The `sourceId` of an earlier message in the list; null: it opens the conversation. */
  parent: string | null;
  role: 'user' | 'assistant';
  text: string;
  reasoning: string;
  model: string | null;
  /** ISO 8601 in UTC; null: the export does not say. */
  createdAt: string | null;
  rating: { value: 'good' | 'bad' | null; correction: string | null } | null;
};

/** A conversation with all its branches, whatever it was exported from. */
export type ImportedConversation = {
  source: ImportSource;
  sourceId: string;
  title: string | null;
  createdAt: string | null;
  updatedAt: string | null;
  archived: boolean;
  pinned: boolean;
  /** Parents come before the messages that follow them. */
  messages: ImportedMessage[];
  /** The last message of the branch that was shown; null: the export does not say. */
  head: string | null;
};

/** How often something could not be taken along, by reason. */
export type LeftOut = Partial<Record<LeftOutReason, number>>;

/** One conversation of an export; `conversation` is null if nothing of it can be shown. */
export type ReadConversation = { conversation: ImportedConversation | null; leftOut: LeftOut };

/** The export cannot be read; the message tells the user what to do. */
export class UnreadableExportError extends Error {
  override name = 'UnreadableExportError';
}

export const notAnExport = () =>
  new UnreadableExportError(
    'This is not an export that Roster can read. Upload the export of ChatGPT, Claude, LibreChat, Open WebUI or Roster as it was downloaded, as a ZIP archive or a JSON file.',
  );

export function addTo(leftOut: LeftOut, reason: LeftOutReason, count = 1) {
  if (count > 0) leftOut[reason] = (leftOut[reason] ?? 0) + count;
}
