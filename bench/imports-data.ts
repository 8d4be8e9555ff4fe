// An export of ChatGPT with 10,000 conversations (or BENCH_CONVERSATIONS) of 20 messages each, written while it is
// generated.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { writeArchive } from '../server/src/testing/exports.ts';
import { answer, question, title } from './prose.ts';
import { temporaryFolder } from './roster.ts';
import { settings } from './settings.ts';

const perConversation = 20;
/** Every tenth conversation has a regenerated answer. */
const branchEvery = 10;
const firstAt = Date.UTC(2023, 0, 1) / 1000;

export type ExportFile = { path: string; bytes: number; conversations: number; messages: number; characters: number };

function conversation(number: number): { value: object; characters: number } {
  const start = firstAt + number * 3_600;
  let characters = 0;
  const nodes = Array.from({ length: perConversation }, (_, at) => {
    const isLast = at === perConversation - 1;
    const parent = isLast && number % branchEvery === 0 ? at - 3 : at - 1;
    const role = at % 2 === 0 ? 'user' : 'assistant';
    const text = role === 'user' ? question() : answer();
    characters += text.length;
    const id = `message-${number}-${at}`;
    const message = {
      id,
      author: { role, name: null, metadata: {} },
      create_time: start + at * 20,
      content: { content_type: 'text', parts: [text] },
      status: 'finished_successfully',
      metadata: role === 'user' ? {} : { model_slug: 'gpt-4o', finish_details: { type: 'stop' } },
      recipient: 'all',
    };
    return { id, message, parent: at === 0 ? null : `message-${number}-${parent}`, children: [] };
  });
  const value = {
    conversation_id: `conversation-${number}`,
    title: title(),
    create_time: start,
    update_time: start + perConversation * 20,
    current_node: nodes.at(-1)?.id,
    mapping: Object.fromEntries(nodes.map((node) => [node.id, node])),
  };
  return { value, characters };
}

export async function writeExport(): Promise<ExportFile> {
  const { conversations } = settings;
  console.log(`Imports: writing an export of ${conversations} conversations …`);
  let characters = 0;
  function* pieces() {
    for (let number = 0; number < conversations; number++) {
      const { value, characters: more } = conversation(number);
      characters += more;
      yield `${number === 0 ? '[' : ','}${JSON.stringify(value)}`;
    }
    yield ']';
  }
  const path = join(temporaryFolder(), 'export.zip');
  await writeArchive(path, { 'conversations.json': Readable.from(pieces()) });
  const bytes = statSync(path).size;
  return { path, bytes, conversations, messages: conversations * perConversation, characters };
}
