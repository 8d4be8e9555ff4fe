import type { ImportedConversation, ImportedPart } from '#server/conversation/imported';
import { filesOfPart } from './parts.ts';
import { addTo, type NotTaken, type ReadConversation } from './readers/conversation.ts';
import { type Counts, noCounts } from './repository.ts';

/** How many names are listed of each kind that cannot be imported. */
const namesLimit = 20;

type Dependencies = {
  /** The ids among these whose file is here. */
  knownFiles: (sourceIds: string[]) => Promise<ReadonlySet<string>>;
  /** False: the user may not have assistants. */
  isEditor: boolean;
  /** null: the user may not upload files. */
  room: { files: number; bytes: number } | null;
};

function countPart(counts: Counts, part: ImportedPart, isEditor: boolean) {
  if (part.kind === 'project') counts.projects++;
  else if (part.kind === 'prompts') counts.prompts += part.count;
  else if (part.kind === 'queued') counts.queued++;
  else if (part.kind === 'assistant' && isEditor) counts.assistants++;
  else if (part.kind === 'assistant') addTo(counts.leftOut, 'assistants_not_allowed');
}

/** Counts what an export contains, and what of it can be imported. */
export function createCounter({ knownFiles, isEditor, room }: Dependencies) {
  const counts: Counts = structuredClone(noCounts);
  const left = room && { ...room };
  const files = new Set<string>();
  const notTaken = new Set<string>();

  function countOnce({ reason, id, name }: NotTaken) {
    const key = `${reason} ${id}`;
    if (notTaken.has(key)) return;
    notTaken.add(key);
    addTo(counts.leftOut, reason);
    const names = counts.names[reason] ?? [];
    if (name !== null && names.length < namesLimit) counts.names[reason] = [...names, name];
  }

  function countConversation({ messages, createdAt, updatedAt }: ImportedConversation) {
    counts.conversations++;
    counts.messages += messages.length;
    if (createdAt !== null && (counts.from === null || createdAt < counts.from)) counts.from = createdAt;
    const last = updatedAt ?? createdAt;
    if (last !== null && (counts.to === null || last > counts.to)) counts.to = last;
  }

  function countFile(size: number) {
    if (!left) return addTo(counts.leftOut, 'files_not_allowed');
    if (left.files < 1 || left.bytes < size) return addTo(counts.leftOut, 'files_without_room');
    left.files--;
    left.bytes -= size;
    counts.files++;
  }

  async function countFiles(batch: ReadConversation[]) {
    const found = batch
      .flatMap(({ conversation, part }) => [
        ...(conversation?.messages ?? []).flatMap(({ files: attached }) => attached),
        ...(part ? filesOfPart(part) : []),
      ])
      .filter(({ sourceId }) => !files.has(sourceId));
    const existing = await knownFiles([...new Set(found.map(({ sourceId }) => sourceId))]);
    for (const { sourceId, size } of found) {
      if (files.has(sourceId)) continue;
      files.add(sourceId);
      if (!existing.has(sourceId)) countFile(size);
    }
  }

  return {
    counts,
    async add(batch: ReadConversation[]) {
      for (const { conversation, part, leftOut, notTaken: others = [] } of batch) {
        for (const [reason, more] of Object.entries(leftOut) as [keyof typeof leftOut, number][])
          addTo(counts.leftOut, reason, more);
        for (const one of others) countOnce(one);
        if (conversation) countConversation(conversation);
        if (part) countPart(counts, part, isEditor);
      }
      await countFiles(batch);
    },
  };
}
