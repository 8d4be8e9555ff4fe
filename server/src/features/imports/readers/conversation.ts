import type { ImportSource, LeftOutReason } from '@roster/contracts/imports';
import type { ImportedConversation, ImportedPart } from '#server/conversation/imported';

/** How often something could not be taken along, by reason. */
export type LeftOut = Partial<Record<LeftOutReason, number>>;

/** Something that cannot be taken along and is counted once; `name` is null if the export does not say it. */
export type NotTaken = { reason: LeftOutReason; id: string; name: string | null };

/** One conversation of an export, or a part of an account; `conversation` is null if nothing of it can be shown. */
export type ReadConversation = {
  conversation: ImportedConversation | null;
  leftOut: LeftOut;
  notTaken?: NotTaken[];
  part?: ImportedPart;
  /** For a part, the product that it is from. */
  source?: ImportSource;
};

/** The export cannot be read; the message tells the user what to do. */
export class UnreadableExportError extends Error {
  override name = 'UnreadableExportError';
}

export const notAnExport = () =>
  new UnreadableExportError(
    'This is not an export that Roster can read. Upload the export of ChatGPT, Claude, Gemini, LibreChat, Open WebUI or Roster as it was downloaded, as a ZIP archive or a JSON file.',
  );

export function addTo(leftOut: LeftOut, reason: LeftOutReason, count = 1) {
  if (count > 0) leftOut[reason] = (leftOut[reason] ?? 0) + count;
}
