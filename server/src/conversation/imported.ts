import type { ImportSource } from '@roster/contracts/imports';

/** In place of a message that consisted of files alone, which could not be imported. */
export const missingFileText = '[A file that was not imported]';

/** A file in the archive of an export. */
export type ImportedFile = {
  /** Unique for a person. */
  sourceId: string;
  filename: string;
  /** Its name in the archive. */
  entry: string;
  /** Bytes. */
  size: number;
  /** Created for an answer. */
  isGenerated: boolean;
};

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
  files: ImportedFile[];
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
