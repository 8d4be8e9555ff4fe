import { readFileSync } from 'node:fs';
import { withoutDirectives } from '../faults/directives.ts';
import type { Question } from './question.ts';
import { keywords } from './title.ts';
import { tokensOf } from './tokens.ts';

function prepared(name: string): string {
  return readFileSync(new URL(`./answers/${name}.md`, import.meta.url), 'utf8').trim();
}

/** Each answer with the words that select it, in the order in which several are combined. */
const PREPARED: readonly [RegExp, string][] = [
  [/\b(hello|hi|hey|good (morning|evening))\b/i, prepared('hello')],
  [/\bmarkdown\b/i, prepared('markdown')],
  [/\b(table|compare|comparison)s?\b/i, prepared('table')],
  [/\b(lists?|steps|checklist)\b/i, prepared('list')],
  [/\b(code|program|function|script)s?\b/i, prepared('code')],
  [/\b(math|maths|formula|equation|latex)s?\b/i, prepared('math')],
  [/\b(diagram|chart|mermaid|flowchart)s?\b/i, prepared('diagram')],
  [/\b(long|essay|story|detailed)\b/i, prepared('long')],
];
const HOSTILE = prepared('hostile');
const LONG = prepared('long');

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > 160 ? `${line.slice(0, 157)}...` : line;
}

function quoted(text: string): string {
  const plain = withoutDirectives(text).replaceAll(/\s+/g, ' ');
  return plain.length > 140 ? `${plain.slice(0, 137)}...` : plain;
}

/** Repeats what reached the model, to show that instructions, history and files arrived. */
function preface({ instructions, turns, attachments, tools }: Question): string[] {
  const parts: string[] = [];
  const line = firstLine(instructions);
  if (line !== '') parts.push(`*I keep to my instructions: “${line}”*`);
  const questions = turns.filter((turn) => turn.role === 'user');
  const first = questions.at(0);
  if (questions.length > 1 && first !== undefined) {
    parts.push(`This is your message number ${questions.length}; the conversation began with “${quoted(first.text)}”.`);
  }
  if (attachments.length > 0) parts.push(`I received ${attachments.map((name) => `**${name}**`).join(', ')}.`);
  const outputs = tools.outputs.map((output) => (output.length > 2_000 ? `${output.slice(0, 2_000)}...` : output));
  if (outputs.length > 0) parts.push(`The functions said: ${outputs.join('; ')}.`);
  return parts;
}

function sentenceList(words: readonly string[]): string {
  const marked = words.map((word) => `**${word}**`);
  const last = marked.pop() ?? '';
  return marked.length === 0 ? last : `${marked.join(', ')} and ${last}`;
}

function ordinary(text: string): string {
  const words = keywords(text, 4);
  if (words.length === 0) return 'I am here. Ask me something, or write `hello` to see what I can show you.';
  const [first = ''] = words;
  return [
    `You wrote: “${quoted(text)}”. As I read it, this is about ${sentenceList(words)}.`,
    `Three things decide most questions of this kind:`,
    [
      `1. **What it is for.** Say in one sentence what should be different once *${first}* is settled.`,
      `2. **What is already known.** Collect the facts you have, and mark those you only suppose.`,
      `3. **What the next small step is.** Something you can finish today and judge tomorrow.`,
    ].join('\n'),
    `If you tell me more about *${words.at(-1) ?? first}*, I can be more exact. (I am a simulated model: I repeat your words well, and know nothing about them.)`,
  ].join('\n\n');
}

export function answerTo(question: Question, hostile: boolean): string {
  const text = question.turns.findLast((turn) => turn.role === 'user')?.text ?? '';
  const plain = withoutDirectives(text);
  const called = PREPARED.filter(([pattern]) => pattern.test(plain)).map(([, answer]) => answer);
  const answers = hostile ? [HOSTILE] : called.length > 0 ? called : [ordinary(text)];
  return [...preface(question), ...answers].join('\n\n');
}

/** Exactly this many tokens of readable text. */
export function longAnswer(count: number): string[] {
  const tokens: string[] = [];
  for (let round = 1; tokens.length < count; round += 1) {
    tokens.push(...tokensOf(`${round === 1 ? '' : `\n\n## Part ${round}\n\n`}${LONG}`));
  }
  return tokens.slice(0, count);
}
