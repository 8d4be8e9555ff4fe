import type { Kysely } from 'kysely';
import type { ImportedAssistant, ImportedPart, ImportedProject } from '#server/conversation/imported';
import type { Database } from '#server/db/schema';
import type { TakenFiles } from '#server/features/chat/imported-threads/files';
import type { ImportedThreads } from '#server/features/chat/imported-threads/service';
import type { LeftOut } from './readers/conversation.ts';

type To = { userId: number; importId: number };
type Attachments = TakenFiles['attachments'];
type RemoveOne = (trx: Kysely<Database>, userId: number, importId: number) => Promise<boolean>;

/** The features that keep the parts of an account beside its conversations. */
export type PartKeepers = {
  assistants: {
    store: (trx: Kysely<Database>, to: To, part: ImportedAssistant, files: Attachments) => Promise<boolean>;
    removeOne: RemoveOne;
  };
  projects: {
    store: (
      trx: Kysely<Database>,
      to: To,
      part: ImportedProject,
      fileIds: number[],
    ) => Promise<'new' | 'here' | 'no_room'>;
    removeOne: RemoveOne;
  };
  importPreferences: (trx: Kysely<Database>, userId: number, given: unknown) => Promise<void>;
  importPrompts: (trx: Kysely<Database>, userId: number, document: unknown) => Promise<unknown>;
};

/** Counts what was stored, and what turned out not to be importable. */
type StoredPart = { assistants: number; projects: number; leftOut: LeftOut };
const nothing: StoredPart = { assistants: 0, projects: 0, leftOut: {} };

/** Stores a part of an account. Call in a transaction. */
export async function storePart(
  { keepers, threads }: { keepers: PartKeepers; threads: Pick<ImportedThreads, 'queue'> },
  trx: Kysely<Database>,
  to: To & { isEditor: boolean },
  part: ImportedPart,
  files: Attachments,
): Promise<StoredPart> {
  const { userId, importId, isEditor } = to;
  switch (part.kind) {
    case 'assistant': {
      const isStored = isEditor && (await keepers.assistants.store(trx, to, part, files));
      return { ...nothing, assistants: isStored ? 1 : 0 };
    }
    case 'project': {
      const fileIds = part.files.flatMap(({ sourceId }) => files.get(sourceId)?.fileId ?? []);
      const stored = await keepers.projects.store(trx, to, part, fileIds);
      if (stored === 'no_room') return { ...nothing, leftOut: { projects_without_room: 1 } };
      return { ...nothing, projects: stored === 'new' ? 1 : 0 };
    }
    case 'queued':
      await threads.queue(trx, userId, importId, part, files);
      return nothing;
    case 'preferences':
      await keepers.importPreferences(trx, userId, part.preferences);
      return nothing;
    case 'prompts':
      await keepers.importPrompts(trx, userId, part.document);
      return nothing;
    case 'files':
      return nothing;
  }
}

/** The files that a part refers to. */
export function filesOfPart(part: ImportedPart) {
  if (part.kind === 'assistant') return part.versions.flatMap(({ files }) => files);
  return 'files' in part ? part.files : [];
}
