const imageTokens = 1_000;

/** Estimates four characters per token; inline data is an image or a sound of unknown length. */
export function estimateInputTokens(messages: unknown[]): number {
  let tokens = 0;
  const open: unknown[] = [...messages];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') tokens += value.startsWith('data:') ? imageTokens : Math.ceil(value.length / 4);
    else if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value)) if (part !== undefined) open.push(part);
  }
  return Math.min(tokens, 100_000_000);
}
