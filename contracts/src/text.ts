import { z } from 'zod';
import { codePointLength } from './length.ts';

/** A text of at most `max` code points. The UTF-16 bound comes first, so that huge input is refused without counting. */
export const textUpTo = (max: number, message: string) =>
  z
    .string()
    .max(max * 2, { message, abort: true })
    .refine((text) => text.length <= max || codePointLength(text) <= max, message)
    .meta({ maxLength: max });
