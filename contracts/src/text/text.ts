import { z } from 'zod';
import { isBlank } from './blank.ts';
import { codePointLength } from './length.ts';
import { tidyName } from './name.ts';

/**
 * A text of at most `max` code points. The UTF-16 bound is checked first, so that huge input is rejected without
 * counting.
 */
export const textUpTo = (max: number, message: string) => upTo(z.string(), max, message);

/** A text that must be visible: neither missing nor blank. */
export const requiredText = (max: number, tooLong: string, missing: string) =>
  upTo(z.string({ error: ({ input }) => (input === undefined ? missing : undefined) }), max, tooLong)
    .min(1, { message: missing, abort: true })
    .refine((text) => !isBlank(text), missing);

/** A visible name by the rule for names (name.ts), which removes invisible characters. */
export const nameText = (max: number, tooLong: string, missing: string) =>
  requiredText(max, tooLong, missing).overwrite(tidyName);

const upTo = (text: z.ZodString, max: number, message: string) =>
  text
    .max(max * 2, { message, abort: true })
    .refine((given) => given.length <= max || codePointLength(given) <= max, message)
    .meta({ maxLength: max });
