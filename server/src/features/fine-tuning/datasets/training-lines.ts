import type { DatasetFormat } from '@roster/contracts/fine-tuning/datasets';
import type { ExampleContent } from './example-repository.ts';

const system = (instructions: string) =>
  instructions.trim() === '' ? [] : [{ role: 'system', content: instructions }];

/**
 * A line of a training file in the provider's format. In chat format, earlier answers of the conversation get the
 * weight 0: nobody has called them good, so the model reads them without learning them.
 */
export function trainingLine(format: DatasetFormat, { instructions, turns, answer, rejected }: ExampleContent): string {
  const content = (text: string | null) => [{ role: 'assistant', content: text ?? '' }];
  if (format === 'preference') {
    const messages = [...system(instructions), ...turns.map(({ role, text }) => ({ role, content: text }))];
    return JSON.stringify({
      input: { messages, tools: [], parallel_tool_calls: true },
      preferred_output: content(answer),
      non_preferred_output: content(rejected),
    });
  }
  const before = turns.map(({ role, text }) => ({
    role,
    content: text,
    ...(role === 'assistant' && { weight: 0 }),
  }));
  return JSON.stringify({ messages: [...system(instructions), ...before, ...content(answer)] });
}
