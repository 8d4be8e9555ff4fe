import {
  type PromptImport,
  type PromptImportEntry,
  promptNameLimit,
  promptsPerUser,
} from '@roster/contracts/prompts/prompts';
import type { Kysely } from 'kysely';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { Actor } from '#server/security/actor';
import { type ParsedFile, type ParsedPrompt, parsePromptFile } from './parse-import.ts';
import { hashOfText, type NewPrompt, promptRepository } from './repository.ts';

type Plan = { entries: PromptImportEntry[]; drafts: NewPrompt[] };

const numbered = (name: string, number: number | string) => {
  const suffix = `-${number}`;
  return `${Array.from(name)
    .slice(0, promptNameLimit - suffix.length)
    .join('')}${suffix}`;
};

/** True for the name itself and for those that an earlier import has numbered. */
function isNamed(name: string, wanted: string): boolean {
  const [, number] = /-(\d+)$/.exec(name) ?? [];
  return name === wanted || (number !== undefined && numbered(wanted, number) === name);
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number++) if (!taken.has(numbered(wanted, number))) return numbered(wanted, number);
}

/** Decides about each entry, given what the user has already. */
function planImport(file: ParsedFile, present: readonly { name: string; textHash: string }[]): Plan {
  const taken = new Set(present.map(({ name }) => name));
  const namesByText = new Map<string, string[]>();
  const remember = (hash: string, name: string) => {
    taken.add(name);
    namesByText.set(hash, [...(namesByText.get(hash) ?? []), name]);
  };
  for (const { name, textHash } of present) remember(textHash, name);
  const at = new Date().toISOString();
  const drafts: NewPrompt[] = [];

  function decide(entry: ParsedPrompt): PromptImportEntry {
    const { position, notes } = entry;
    if ('problem' in entry) {
      const { name, title, problem } = entry;
      return { position, name, title, state: 'refused', reason: problem, notes };
    }
    const { draft, times } = entry;
    const { title } = draft;
    const hash = hashOfText(draft.text);
    const same = namesByText.get(hash)?.find((name) => isNamed(name, draft.name));
    if (same !== undefined) return { position, name: same, title, state: 'present', reason: null, notes: [] };
    if (taken.size >= promptsPerUser) {
      const reason = `You can have ${promptsPerUser} prompts. Delete some, then import this one again.`;
      return { position, name: draft.name, title, state: 'refused', reason, notes: [] };
    }
    const name = freeName(draft.name, taken);
    if (name !== draft.name) notes.push(`Saved as /${name}, because /${draft.name} has another text.`);
    remember(hash, name);
    const createdAt = times.createdAt ?? at;
    drafts.push({ ...draft, name, createdAt, updatedAt: times.updatedAt ?? createdAt, usedAt: times.usedAt ?? null });
    return { position, name, title, state: 'new', reason: null, notes };
  }

  return { entries: file.entries.map(decide), drafts };
}

function toReport({ source, left }: ParsedFile, { entries }: Plan): PromptImport {
  const count = (state: PromptImportEntry['state']) => entries.filter((entry) => entry.state === state).length;
  return { source, entries, added: count('new'), present: count('present'), refused: count('refused'), left };
}

/** Stores what is new in a file of prompts. Call in a transaction. */
export async function storePrompts(trx: Kysely<Database>, userId: number, document: unknown): Promise<PromptImport> {
  const file = parsePromptFile(document);
  await lockUserRow(trx, userId);
  const rows = promptRepository(trx);
  const plan = planImport(file, await rows.names(userId));
  await rows.insert(userId, plan.drafts);
  return toReport(file, plan);
}

/** Imports prompts from a file. Importing it again adds only what is new. */
export function promptImports(db: Kysely<Database>) {
  return {
    async preview(userId: number, document: unknown): Promise<PromptImport> {
      const file = parsePromptFile(document);
      return toReport(file, planImport(file, await promptRepository(db).names(userId)));
    },
    store: ({ userId, recheckAccess }: Actor, document: unknown): Promise<PromptImport> =>
      db.transaction().execute(async (trx) => {
        await recheckAccess(trx);
        return storePrompts(trx, userId, document);
      }),
  };
}
