import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportedConversation } from '#server/conversation/imported';
import type { LeftOut } from '#server/features/imports/readers/conversation';
import { readExport } from '#server/features/imports/readers/read-export';
import { zipped } from './exports.ts';

const folder = mkdtempSync(join(tmpdir(), 'roster-readers-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** Writes an export: bytes or text as they are, other values as JSON. */
export function write(value: unknown, ending = 'json'): string {
  const path = join(folder, `${++files}.${ending}`);
  writeFileSync(path, typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value));
  return path;
}

export const zip = async (entries: Record<string, unknown>): Promise<string> => write(await zipped(entries), 'zip');

export async function read(path: string) {
  const conversations: ImportedConversation[] = [];
  const leftOut: LeftOut = {};
  for await (const { conversation, leftOut: more } of readExport(path)) {
    if (conversation) conversations.push(conversation);
    for (const [reason, count] of Object.entries(more))
      Object.assign(leftOut, { [reason]: (Reflect.get(leftOut, reason) ?? 0) + count });
  }
  return { conversations, leftOut };
}

export async function only(value: unknown) {
  const { conversations, leftOut } = await read(write([value]));
  const [conversation] = conversations;
  if (!conversation || conversations.length > 1) throw new Error('Not one conversation');
  return { conversation, leftOut };
}
