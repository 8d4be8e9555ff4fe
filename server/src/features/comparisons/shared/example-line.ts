import { isBlank } from '@roster/contracts/text/blank';
import { z } from 'zod';

/** Question and answer of a line in a training or validation file. */
export type Example = {
  instructions: string;
  turns: { role: 'user' | 'assistant'; text: string }[];
  expected: string | null;
};

const Content = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal('text'), text: z.string() }))
    .transform((parts) => parts.map(({ text }) => text).join('')),
]);
const nothing = z.union([z.null(), z.tuple([])]).optional();
const Message = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content: Content,
  tool_calls: nothing,
  function_call: z.null().optional(),
});
type Message = z.output<typeof Message>;

const Messages = z.array(Message).min(1);
const tools = { tools: nothing, functions: nothing };
const Chat = z.object({ messages: Messages, ...tools });
const Preference = z.object({
  input: z.object({ messages: Messages, ...tools }),
  preferred_output: z.array(Message).min(1),
});

const isInstruction = ({ role }: Message) => role === 'system' || role === 'developer';

/** The question is the last message; returns null if that is something else. */
function exampleOf(messages: Message[], expected: string | null): Example | null {
  const begin = messages.findIndex((message) => !isInstruction(message));
  if (begin < 0) return null;
  const turns: Example['turns'] = [];
  for (const { role, content } of messages.slice(begin)) {
    if (role !== 'user' && role !== 'assistant') return null;
    turns.push({ role, text: content });
  }
  const question = turns.at(-1);
  if (question?.role !== 'user' || isBlank(question.text)) return null;
  const instructions = messages
    .slice(0, begin)
    .map(({ content }) => content)
    .join('\n\n');
  return { instructions, turns, expected };
}

function fromChat(messages: Message[]): Example | null {
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  if (answer < 0) return exampleOf(messages, null);
  return exampleOf(messages.slice(0, answer), messages[answer]?.content ?? null);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Returns null for a line whose question cannot be asked here (other formats, tools, images). */
export function readExample(line: string): Example | null {
  const value = parsed(line);
  const chat = Chat.safeParse(value);
  if (chat.success) return fromChat(chat.data.messages);
  const preference = Preference.safeParse(value);
  if (!preference.success) return null;
  const { input, preferred_output: preferred } = preference.data;
  return exampleOf(input.messages, preferred.at(-1)?.content ?? null);
}
