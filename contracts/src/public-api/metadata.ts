import { z } from 'zod';

const maxPairs = 16;

/** A client’s own notes on an object: up to 16 pairs of texts, of 64 and 512 characters. */
export const Metadata = z
  .record(z.string().max(64), z.string().max(512, 'Values of metadata can have at most 512 characters.'), {
    error: ({ code }) => (code === 'invalid_key' ? 'Keys of metadata can have at most 64 characters.' : undefined),
  })
  .refine((pairs) => Object.keys(pairs).length <= maxPairs, `Metadata can have at most ${maxPairs} pairs.`);
export type Metadata = z.output<typeof Metadata>;
