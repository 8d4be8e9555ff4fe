import { instructionsLimit } from '@roster/contracts/assistants/assistants';
import type { ExampleInstructions } from '@roster/contracts/fine-tuning/datasets';
import { isBlank } from '@roster/contracts/text/blank';
import { codePointLength } from '@roster/contracts/text/length';
import type { ExampleContent } from './example-repository.ts';

const introduction = 'Answer as in these examples.';
const between = '\n\n';
const speaker = { user: 'Question', assistant: 'Answer' } as const;

const inWords = ({ turns, answer }: ExampleContent): string =>
  [...turns, { role: 'assistant' as const, text: answer }]
    .map(({ role, text }) => `${speaker[role]}: ${text.trim()}`)
    .join('\n');

/** The most frequent instructions of these examples. */
function commonOf(lessons: readonly ExampleContent[]): string {
  const counts = new Map<string, number>();
  for (const { instructions } of lessons) counts.set(instructions, (counts.get(instructions) ?? 0) + 1);
  const [common = ''] = [...counts].sort(([, one], [, other]) => other - one).map(([text]) => text.trim());
  return isBlank(common) || codePointLength(common) > instructionsLimit ? '' : common;
}

/** Instructions that show a model how to answer: those of the examples, and as many examples as fit, the best first. */
export function instructionsFrom(
  lessons: readonly ExampleContent[],
): Pick<ExampleInstructions, 'instructions' | 'examples'> {
  const common = commonOf(lessons);
  const texts = new Set(lessons.map(inWords));
  const taken: string[] = [];
  let length = codePointLength([common, introduction].filter((part) => part !== '').join(between));
  for (const text of texts) {
    const more = codePointLength(between) + codePointLength(text);
    if (length + more > instructionsLimit) continue;
    taken.push(text);
    length += more;
  }
  const parts = [common, ...(taken.length > 0 ? [introduction, ...taken] : [])];
  return { instructions: parts.filter((part) => part !== '').join(between), examples: taken.length };
}
