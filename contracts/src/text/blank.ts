import { codePointLength } from './length.ts';

/**
 * What shows nothing: spaces, control characters, everything that Unicode wants ignored where it cannot be shown (zero
 * width, direction marks, Hangul fillers, variation selectors, tags), marks of annotations, and the empty Braille cell.
 */
const invisible = '\\p{White_Space}\\p{Cc}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb\\u2800';
const allInvisible = new RegExp(`[${invisible}]+`, 'gu');
const firstVisible = new RegExp(`[^${invisible}]`, 'u');

/** How many code points of a text show something. */
export const visibleLength = (text: string) => codePointLength(text.replace(allInvisible, ''));

/** Whether a text shows nothing. Asked for with each key that is pressed: it looks as far as the first that shows. */
export const isBlank = (text: string) => !firstVisible.test(text);
