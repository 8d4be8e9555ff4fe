import { z } from 'zod';

export type Choice = 'first' | 'second' | 'tie';

const choiceOf = new Map<string, Choice>([
  ...(['first', 'first answer', 'answer 1', '1', 'a'] as const).map((word) => [word, 'first'] as const),
  ...(['second', 'second answer', 'answer 2', '2', 'b'] as const).map((word) => [word, 'second'] as const),
  ...(['tie', 'equal', 'both', 'neither'] as const).map((word) => [word, 'tie'] as const),
]);

const RawVerdict = z.object({ better: z.union([z.string(), z.number()]), reason: z.string().optional() });

function fromJson(text: string): { choice: Choice; reason: string } | null {
  try {
    const parsed = RawVerdict.safeParse(JSON.parse(text));
    const choice = parsed.success && choiceOf.get(String(parsed.data.better).trim().toLowerCase());
    return choice ? { choice, reason: (parsed.data.reason ?? '').toWellFormed().trim() } : null;
  } catch {
    return null;
  }
}

/** Finds 'Better: first' on a line of its own, if no other line contradicts it. */
function fromWords(text: string): { choice: Choice; reason: string } | null {
  const line =
    /^[ \t*_#>]*(?:better|verdict|winner)[*_ \t]*[:=][*_" \t]*(?:the )?([a-z0-9]+(?: (?:answer|[12]))?)[*_". \t]*$/gim;
  const choices = new Set([...text.matchAll(line)].map(([, word = '']) => choiceOf.get(word.toLowerCase())));
  const [choice, ...others] = choices;
  return choice && others.length === 0 ? { choice, reason: text.replaceAll(line, '').trim() } : null;
}

/** Reads a judge's answer, even with text around the requested JSON; null if it is unclear. */
export function parseVerdict(text: string): { choice: Choice; reason: string } | null {
  const end = text.lastIndexOf('}') + 1;
  const objects = [text, text.slice(text.indexOf('{'), end), text.slice(text.lastIndexOf('{'), end)];
  for (const object of objects) {
    const verdict = fromJson(object);
    if (verdict) return verdict;
  }
  return fromWords(text);
}
