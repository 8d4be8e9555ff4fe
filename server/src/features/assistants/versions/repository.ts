import type { AssistantSettings } from '@roster/contracts/assistants/assistants';
import {
  type AssistantVersion,
  retainedVersionCount,
  VersionField,
  VersionOrigin,
} from '@roster/contracts/assistants/versions';
import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { fromSettingsColumns, toSettingsColumns } from '#server/features/assistants/shared/columns';
import { type AssistantState, VersionFile, VersionTool } from './state.ts';

/** Pruning takes longer than storing a version, so it runs only every so many saves. */
const savesUntilPruned = 20;
export const isPruneDue = (number: number) => number % savesUntilPruned === 0;

export type NewVersion = {
  assistantId: number;
  number: number;
  origin: VersionOrigin;
  changed: VersionField[];
  state: AssistantState;
  at: string;
};
export type StoredVersion = AssistantVersion & { assistantId: number; state: AssistantState };

/** Limits the versions of one assistant, because imported instructions may have 256,000 characters. */
const keptCharacters = 20_000_000;

const listed = ['number', 'origin', 'origin_name', 'origin_number', 'changed', 'created_at'] as const;
type Row = Selectable<Database['assistant_versions']>;

const toVersion = (row: Pick<Row, (typeof listed)[number]>): AssistantVersion => ({
  number: row.number,
  origin: VersionOrigin.parse({ kind: row.origin, name: row.origin_name, number: row.origin_number }),
  changed: z.array(VersionField).parse(JSON.parse(row.changed)),
  createdAt: row.created_at,
});

function toStored(row: Row): StoredVersion {
  const settings: AssistantSettings = fromSettingsColumns(row);
  return {
    ...toVersion(row),
    assistantId: row.assistant_id,
    state: {
      settings,
      files: z.array(VersionFile).parse(JSON.parse(row.files)),
      chosenTools: z.array(VersionTool).parse(JSON.parse(row.chosen_tools)),
      programFields: row.api_fields === null ? null : JSON.parse(row.api_fields),
    },
  };
}

function toRow(userId: number, { assistantId, number, origin, changed, state, at }: NewVersion) {
  const { settings, files, chosenTools, programFields } = state;
  const columns = toSettingsColumns(settings);
  const texts = {
    files: JSON.stringify(files),
    chosen_tools: JSON.stringify(chosenTools),
    api_fields: programFields && JSON.stringify(programFields),
  };
  const sizes = [...Object.values(columns), ...Object.values(texts)].map((value) => String(value ?? '').length);
  return {
    assistant_id: assistantId,
    number,
    user_id: userId,
    origin: origin.kind,
    origin_name: 'name' in origin ? origin.name : null,
    origin_number: 'number' in origin ? origin.number : null,
    changed: JSON.stringify(changed),
    size: sizes.reduce((sum, size) => sum + size, 0),
    created_at: at,
    ...columns,
    ...texts,
  };
}

export function versionRepository(db: Kysely<Database>) {
  const ofAssistant = (userId: number, assistantId: number) =>
    db.selectFrom('assistant_versions').where('user_id', '=', userId).where('assistant_id', '=', assistantId);

  return {
    /** Newest first, with numbers below `before`. */
    async page(userId: number, assistantId: number, limit: number, before: number | undefined) {
      const newestFirst = ofAssistant(userId, assistantId).select(listed).orderBy('number', 'desc').limit(limit);
      const rows = await (before === undefined ? newestFirst : newestFirst.where('number', '<', before)).execute();
      return rows.map(toVersion);
    },
    async find(userId: number, assistantId: number, number: number): Promise<StoredVersion | undefined> {
      const row = await ofAssistant(userId, assistantId).selectAll().where('number', '=', number).executeTakeFirst();
      return row && toStored(row);
    },
    /** Versions of all assistants, oldest first, after this number of this assistant. */
    async after(userId: number, assistantId: number, number: number, limit: number): Promise<StoredVersion[]> {
      const rows = await db
        .selectFrom('assistant_versions')
        .selectAll()
        .where('user_id', '=', userId)
        .where(sql<boolean>`(assistant_id, number) > (${assistantId}, ${number})`)
        .orderBy('assistant_id')
        .orderBy('number')
        .limit(limit)
        .execute();
      return rows.map(toStored);
    },
    /** The checksums of those files that are still there. */
    async checksums(userId: number, fileIds: number[]): Promise<Map<number, string>> {
      if (fileIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('files')
        .select(['id', 'sha256'])
        .where('user_id', '=', userId)
        .where('id', 'in', [...new Set(fileIds)])
        .execute();
      return new Map(rows.map(({ id, sha256 }) => [id, sha256]));
    },
    /** Each of another assistant, whose row has this version already. */
    async insert(userId: number, versions: NewVersion[]) {
      if (versions.length === 0) return;
      await db
        .insertInto('assistant_versions')
        .values(versions.map((version) => toRow(userId, version)))
        .execute();
    },
    async setCurrent(userId: number, assistantId: number, number: number) {
      await db
        .updateTable('assistants')
        .set({ version: number })
        .where('user_id', '=', userId)
        .where('id', '=', assistantId)
        .execute();
    },
    /** Deletes old versions of these assistants that no answer came from. */
    async prune(userId: number, assistantIds: number[]) {
      const newestFirst = sql`over (partition by assistant_id order by number desc)`;
      const ranked = db
        .selectFrom('assistant_versions')
        .select(['assistant_id', 'number'])
        .select(sql<number>`row_number() ${newestFirst}`.as('place'))
        .select(sql<number>`sum(size) ${newestFirst}`.as('characters'))
        .where('user_id', '=', userId)
        .where('assistant_id', 'in', assistantIds);
      // The current version stays, however long it is.
      const old = db
        .selectFrom(ranked.as('ranked'))
        .select(['ranked.assistant_id', 'ranked.number'])
        .where('ranked.place', '>', 1)
        .where(({ or, eb }) =>
          or([eb('ranked.place', '>', retainedVersionCount), eb('ranked.characters', '>', keptCharacters)]),
        );
      await db
        .deleteFrom('assistant_versions')
        .where('user_id', '=', userId)
        .where(sql<boolean>`(assistant_id, number) in ${old}`)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('runs')
                .select('runs.id')
                .where('runs.user_id', '=', userId)
                .whereRef('runs.assistant_id', '=', 'assistant_versions.assistant_id')
                .whereRef('runs.assistant_version', '=', 'assistant_versions.number'),
            ),
          ),
        )
        .execute();
    },
    /** The name of an API client’s access token. */
    async tokenName(userId: number, tokenId: number): Promise<string> {
      const row = await db
        .selectFrom('access_tokens')
        .select('name')
        .where('user_id', '=', userId)
        .where('id', '=', tokenId)
        .executeTakeFirst();
      return row?.name ?? '';
    },
  };
}
