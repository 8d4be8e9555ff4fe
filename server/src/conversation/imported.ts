import type { DisplayedToolCall, EndedEarly, Summary } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import type { FilePurpose } from '@roster/contracts/files/files';
import type { ImportSource } from '@roster/contracts/imports';
import type { PlacedLink } from '@roster/contracts/text/web-links';
import type { JsonObject } from '#server/lib/is-object';

/** In place of a message that consisted of files alone, which could not be imported. */
export const missingFileText = '[A file that was not imported]';

/** A file in the archive of an export. */
export type ImportedFile = {
  /** Unique for a person. */
  sourceId: string;
  filename: string;
  /** Its name in the archive; empty if it has none. */
  entry: string;
  /** Bytes. */
  size: number;
  /** Created for an answer. */
  isGenerated: boolean;
  /** Left out: for messages. */
  purpose?: FilePurpose;
  /** Its content, if the export has it as text and not as a file. */
  content?: string;
};

/** How an answer came to be, as only exports of Roster say. */
export type ImportedAnswer = {
  state: 'complete' | 'stopped' | 'failed' | 'interrupted';
  error: RunError | null;
  notes: string[];
  sources: string[];
  links: PlacedLink[];
  endedEarly: EndedEarly | null;
  thoughtMs: number | null;
  finishedAt: string | null;
  calls: Omit<DisplayedToolCall, 'callId'>[];
  /** The assistant by its `sourceId`. */
  by: { assistant: string; version: number } | null;
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
  answer?: ImportedAnswer;
  /** Models are sent this instead of this message and all before it. */
  summary?: Summary;
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
  /** Its project, and what answers in it, each by its `sourceId`. */
  place?: { project: string | null; assistant: string | null; model: string | null };
};

export type ImportedProject = {
  kind: 'project';
  sourceId: string;
  name: string;
  icon: unknown;
  color: unknown;
  instructions: string;
  /** By its `sourceId`. */
  assistant: string | null;
  model: string | null;
  files: ImportedFile[];
  archivedAt: string | null;
  createdAt: string | null;
  updatedAt: string | null;
};

export type ImportedAssistant = {
  kind: 'assistant';
  sourceId: string;
  isDefault: boolean;
  openaiAssistantId: unknown;
  createdAt: string | null;
  updatedAt: string | null;
  /** Its versions as the export has them, the oldest first, each with the files it had. */
  versions: { fields: JsonObject; files: ImportedFile[] }[];
};

export type ImportedQueuedMessage = {
  kind: 'queued';
  /** The conversation by its `sourceId`, without its source. */
  conversation: string;
  text: string;
  files: ImportedFile[];
  models: string[];
  createdAt: string | null;
};

/** A part of an account beside its conversations. */
export type ImportedPart =
  | ImportedProject
  | ImportedAssistant
  | ImportedQueuedMessage
  | { kind: 'files'; files: ImportedFile[] }
  | { kind: 'preferences'; preferences: unknown }
  | { kind: 'prompts'; count: number; document: unknown };
