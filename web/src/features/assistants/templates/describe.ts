import {
  AssistantDraft,
  assistantDefaults,
  instructionsLimit,
  nameLimit,
} from '@roster/contracts/assistants/assistants';
import { starterCountLimit, starterLengthLimit } from '@roster/contracts/assistants/avatar';
import { chat, type Message } from '@roster/contracts/chat';
import { truncate } from '@roster/contracts/text/truncate';
import { trials } from '@roster/contracts/trials';
import { z } from 'zod';
import { call } from '#web/lib/api-client.ts';
import { newClientId } from '#web/lib/client-id.ts';

const pollMs = 700;

const instructions = `You write system instructions for AI assistants. The user describes an assistant in a sentence or two, in any language.

Answer with a JSON object alone:
- name: two to four words.
- description: one sentence on what it is for.
- instructions: what the assistant is told, at most 1200 characters: its task, how it proceeds, the form of its answers, what it must not do, and when it asks back. Concrete rules, no flattery. Address it as 'you'.
- starters: three first questions that a person would ask it.
- tags: one or two words to group it by.

Write all of it in the language of the description. Do not invent facts about the user or their company.`;

const responseSchema = JSON.stringify({
  type: 'object',
  properties: {
    name: { type: 'string' },
    description: { type: 'string' },
    instructions: { type: 'string' },
    starters: { type: 'array', items: { type: 'string' } },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['name', 'description', 'instructions', 'starters', 'tags'],
  additionalProperties: false,
});

const Described = z.object({
  name: z.string().trim().min(1),
  description: z.string().trim().catch(''),
  instructions: z.string().trim().min(1),
  starters: z.array(z.string()).catch([]),
  tags: z.array(z.string()).catch([]),
});

export type Drafted = {
  draft: AssistantDraft;
  /** null: no price known. */
  costUsd: number | null;
  model: string;
};

/** The object in an answer, also inside a fenced block or between other words, as models without schemas write it. */
function objectIn(text: string): unknown {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
  try {
    return JSON.parse(text.slice(from, to + 1));
  } catch {
    return null;
  }
}

/** A valid draft from a model's answer, cut to the form's limits. null: the answer has none. */
export function draftFromAnswer(text: string, model: string): AssistantDraft | null {
  const described = Described.safeParse(objectIn(text));
  if (!described.success) return null;
  const { name, description, instructions: instructed, starters, tags } = described.data;
  const lines = starters.map((line) => truncate(line.replace(/\s+/g, ' ').trim(), starterLengthLimit));
  const draft = AssistantDraft.safeParse({
    ...assistantDefaults,
    model,
    name: truncate(name.replace(/\s+/g, ' '), nameLimit),
    description: truncate(description, 500),
    instructions: truncate(instructed, instructionsLimit),
    starters: lines.filter((line) => line !== '').slice(0, starterCountLimit),
    tags: tags
      .map((tag) => truncate(tag.trim(), 30))
      .filter((tag) => tag !== '')
      .slice(0, 3),
  });
  return draft.success ? draft.data : null;
}

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, pollMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/** The answer once it has ended. */
async function ended(threadId: number, messageId: number, signal: AbortSignal): Promise<Message> {
  for (;;) {
    const { items } = await call(chat.messages, { params: { id: threadId } }, signal);
    const answer = items.find(({ id }) => id === messageId);
    if (answer && !['queued', 'running', 'waiting'].includes(answer.state)) return answer;
    await pause(signal);
  }
}

/**
 * Has a model draft an assistant from a description, in a trial, so that it is recorded and priced like any answer.
 * @throws if the answer failed, or was no draft
 */
export async function describeAssistant(text: string, model: string, signal: AbortSignal): Promise<Drafted> {
  const settings = { model, instructions, responseSchema, temperature: 0.4 };
  const thread = await call(trials.begin, { body: { assistantId: null, settings } }, signal);
  try {
    const body = { message: text, clientId: newClientId() };
    const { run } = await call(chat.send, { params: { id: thread.id }, body }, signal);
    const answer = await ended(thread.id, run.messageId, signal);
    if (answer.error) throw new Error(answer.error.message);
    const draft = draftFromAnswer(answer.text, model);
    if (!draft) throw new Error('The model did not answer with a draft. Try again, or describe it in other words.');
    return { draft, costUsd: answer.usage?.costUsd ?? null, model };
  } finally {
    // Otherwise it is deleted within a day.
    await call(chat.removeThread, { params: { id: thread.id } }).catch(() => undefined);
  }
}
