import { z } from 'zod';
import { codePointLength } from './length.ts';

/** A text of at most `max` code points. The UTF-16 bound comes first, so that huge input is refused without counting. */
export const textUpTo = (max: number, message: string) => upTo(z.string(), max, message);

/** A text that has to be seen: neither missing nor blank. */
export const requiredText = (max: number, tooLong: string, missing: string) =>
  upTo(z.string({ error: ({ input }) => (input === undefined ? missing : undefined) }), max, tooLong)
    .min(1, { message: missing, abort: true })
    .refine((text) => !isBlank(text), missing);

const upTo = (text: z.ZodString, max: number, message: string) =>
  text
    .max(max * 2, { message, abort: true })
    .refine((given) => given.length <= max || codePointLength(given) <= max, message)
    .meta({ maxLength: max });

/**
 * What shows nothing: spaces, control characters, everything that Unicode wants ignored where it cannot be shown (zero
 * width, direction marks, Hangul fillers, variation selectors, tags), marks of annotations, and the empty Braille cell.
 */
const invisible = /[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]+/gu;

/** How many code points of a text show something. */
export const visibleLength = (text: string) => codePointLength(text.replace(invisible, ''));

export const isBlank = (text: string) => visibleLength(text) === 0;
