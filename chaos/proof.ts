import { setTimeout as wait } from 'node:timers/promises';
import { wordsOf } from '../bench/tokens.ts';
import type { ChangedAssistant } from './changes.ts';
import type { Conversation } from './conversations.ts';
import { hashOf, type Uploads } from './uploads.ts';

type Message = { role: 'user' | 'assistant'; text: string; state: string };

const finalStates = ['complete', 'failed', 'stopped', 'interrupted'];
/** Other processes recover the runs of processes killed last. */
const settledWithinMs = 60_000;

async function pagesOf(conversation: Conversation): Promise<Message[]> {
  const messages: Message[] = [];
  let cursor = '';
  do {
    const path = `/api/threads/${conversation.threadId}/messages?limit=200${cursor}`;
    const page = await conversation.person.get<{ items: Message[]; nextCursor: string | null }>(path);
    messages.unshift(...page.items);
    cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`;
  } while (cursor !== '');
  return messages;
}

const isInProgress = ({ role, state }: Message) => role === 'assistant' && !finalStates.includes(state);

async function settled(conversation: Conversation): Promise<Message[]> {
  const giveUpAt = performance.now() + settledWithinMs;
  for (;;) {
    const messages = await pagesOf(conversation);
    if (performance.now() > giveUpAt || !messages.some(isInProgress)) return messages;
    await wait(1_000);
  }
}

/** From the kill of a Roster process until it was back. */
export type Kill = { from: number; to: number };

/**
 * Verifies that all acknowledged messages are there once and in order, and all answers complete. Only answers that were
 * being generated when a process was killed may be cut.
 */
export async function proveConversation(conversation: Conversation, kills: readonly Kill[]) {
  const { person, exchanges } = conversation;
  const messages = await settled(conversation);
  const questions = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  const answers = messages.filter(({ role }) => role === 'assistant');
  const faults = differences(
    `${person.name}, questions`,
    exchanges.map(({ text }) => text),
    questions,
  );
  for (const [index, { started, ended, end }] of exchanges.entries())
    if (end === 'cut' && !kills.some(({ from, to }) => started < to && ended > from))
      faults.push(`${person.name}, answer ${index + 1}: cut, and no process was killed`);
  const stuck = answers.filter(isInProgress).length;
  for (const [index, { text, state }] of answers.entries()) {
    const entry = exchanges[index];
    if (!entry) continue;
    const whole = wordsOf(entry.words);
    if (entry.end === 'whole' && (state !== 'complete' || text !== whole))
      faults.push(
        `${person.name}, answer ${index + 1}: read to its end, and stored as ${state} with ${text.length} of ${whole.length} characters`,
      );
    if (!whole.startsWith(text)) faults.push(`${person.name}, answer ${index + 1}: its words are not in order`);
  }
  return { faults, stuck, writes: exchanges.length };
}

type Version = { number: number };
type WholeVersion = { settings: { instructions: string } };

/** Verifies that every acknowledged change is a version, in order. */
export async function proveAssistant({ person, id, saved }: ChangedAssistant) {
  const numbers: number[] = [];
  let cursor = '';
  for (;;) {
    const page = await person.get<Version[]>(`/api/assistants/${id}/versions?limit=200${cursor}`);
    numbers.unshift(...page.map(({ number }) => number).reverse());
    const oldest = numbers[0];
    if (page.length < 200 || oldest === undefined) break;
    cursor = `&cursor=${oldest}`;
  }
  const stored: string[] = [];
  for (const number of numbers) {
    const version = await person.get<WholeVersion>(`/api/assistants/${id}/versions/${number}`);
    stored.push(version.settings.instructions);
  }
  return { faults: differences(`${person.name}, changes`, saved, stored), writes: saved.length };
}

/**
 * Verifies that every acknowledged file is there once, with its bytes. `repeated`: stored, but the response was lost.
 */
export async function proveUploads({ person, stored }: Uploads) {
  const faults: string[] = [];
  const ids: number[] = [];
  for (let address = '/api/files?limit=100'; address !== ''; ) {
    const response = await person.ask({ method: 'GET', path: address });
    const page = (await response.json()) as { id: number }[];
    ids.push(...page.map(({ id }) => id));
    address = /<([^>]*)>; *rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? '';
  }
  for (const { id, filename, hash } of stored) {
    if (ids.filter((other) => other === id).length !== 1) faults.push(`${filename} is not in the list once`);
    const response = await person.ask({ method: 'GET', path: `/api/files/${id}/content` });
    if (hashOf(new Uint8Array(await response.arrayBuffer())) !== hash) faults.push(`${filename} has other bytes`);
  }
  return { faults, writes: stored.length, repeated: ids.length - stored.length };
}

/** Items that are lost, duplicated, reordered, or were never written. */
function differences(what: string, written: readonly string[], stored: readonly string[]): string[] {
  const faults: string[] = [];
  const seen = new Map<string, number>();
  for (const text of stored) seen.set(text, (seen.get(text) ?? 0) + 1);
  for (const text of written) {
    const times = seen.get(text) ?? 0;
    if (times === 0) faults.push(`${what}: lost: ${text}`);
    if (times > 1) faults.push(`${what}: ${times} times: ${text}`);
  }
  const known = new Set(written);
  for (const text of seen.keys()) if (!known.has(text)) faults.push(`${what}: never acknowledged: ${text}`);
  if (faults.length === 0 && stored.some((text, index) => text !== written[index])) faults.push(`${what}: reordered`);
  return faults;
}

/** @throws if the comparison fails to detect planted faults */
export function proveTheProof() {
  const written = ['one', 'two', 'three'];
  const planted = [
    ['one', 'three'],
    ['one', 'two', 'two', 'three'],
    ['two', 'one', 'three'],
    [...written, 'four'],
  ];
  const isFound = planted.every((stored) => differences('planted', written, stored).length > 0);
  if (!isFound || differences('planted', written, written).length > 0)
    throw new Error('The comparison of what was written with what is stored does not find what it looks for');
}
