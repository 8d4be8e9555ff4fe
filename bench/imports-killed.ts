import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Import } from '../contracts/src/imports.ts';
import { openDatabase } from '../server/src/db/connect.ts';
import type { ExportFile } from './imports-data.ts';
import { get, post, signIn, startRoster } from './roster.ts';
import { uploadExport } from './send-file.ts';

export const kills = 5;
const email = 'killed@example.com';

type Place = { folder: string; url: string | undefined; providerPort: number };

async function untilImport(
  port: number,
  headers: Record<string, string>,
  id: number,
  isSo: (found: Import) => boolean,
): Promise<void> {
  for (;;) {
    // A 503 is repeated, as pages do.
    const found = await get<Import>(port, `/api/imports/${id}`, headers).catch(() => undefined);
    if (found && isSo(found)) return;
    await wait(100);
  }
}

/** Frees the jobs of a dead process, which are otherwise taken over after five minutes. */
async function freeJobs({ folder, url }: Place) {
  const database = openDatabase(url, folder);
  await database.db.updateTable('jobs').set({ claimed_until: null }).execute();
  await database.close();
}

/** Imports an export while the server is killed again and again. Returns how long that took, in milliseconds. */
export async function importKilled(place: Place, file: ExportFile): Promise<number> {
  const env = { ...(place.url !== undefined && { DATABASE_URL: place.url }) };
  const start = () => startRoster(place.folder, place.providerPort, { env });
  let roster = await start();
  const headers = await signIn(roster.port, '/api/register', email);
  const { id } = await uploadExport(roster.port, headers, file.path);
  await untilImport(roster.port, headers, id, ({ state }) => state === 'ready');
  const from = performance.now();
  await post(roster.port, `/api/imports/${id}/start`, headers, {});
  for (let kill = 1; kill <= kills; kill++) {
    const goal = Math.floor((file.conversations * kill) / (kills + 1));
    await untilImport(roster.port, headers, id, ({ processed }) => processed >= goal);
    await roster.program.kill();
    await freeJobs(place);
    roster = await start();
  }
  await untilImport(roster.port, headers, id, ({ state }) => state === 'done' || state === 'failed');
  const tookMs = performance.now() - from;
  await roster.program.stop();
  return tookMs;
}

/** Compares what was stored with the export: conversations, messages, their and texts. */
export async function storedWrongly({ folder, url }: Omit<Place, 'providerPort'>, file: ExportFile): Promise<string[]> {
  const database = openDatabase(url, folder);
  const count = sql<number>`count(*)`.as('count');
  const threads = await database.db.selectFrom('threads').select(count).executeTakeFirstOrThrow();
  const messages = await database.db
    .selectFrom('messages')
    .select([count, sql<number>`sum(length(text))`.as('characters')])
    .executeTakeFirstOrThrow();
  const ids = await database.db
    .selectFrom('messages')
    .select(sql<number>`count(distinct source_id)`.as('count'))
    .executeTakeFirstOrThrow();
  const uneven = await database.db
    .selectFrom('messages')
    .select('thread_id')
    .groupBy('thread_id')
    .having(sql<boolean>`count(*) <> ${file.messages / file.conversations}`)
    .execute();
  await database.close();
  return [
    { what: 'conversations', found: threads.count, expected: file.conversations },
    { what: 'messages', found: messages.count, expected: file.messages },
    { what: 'different messages', found: ids.count, expected: file.messages },
    { what: 'characters', found: messages.characters, expected: file.characters },
    { what: 'conversations with another number of messages', found: uneven.length, expected: 0 },
  ].flatMap(({ what, found, expected }) =>
    Number(found) === expected ? [] : [`${found} ${what} instead of ${expected}`],
  );
}
