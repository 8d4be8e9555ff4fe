import { codePointLength } from './length.ts';

/**
 * Invisible characters: spaces, control characters, everything that Unicode wants ignored if it cannot be shown (zero
 * width, direction marks, Hangul fillers, variation selectors, tags), annotation marks, and the empty Braille cell.
 */
const invisible = '\\p{White_Space}\\p{Cc}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb\\u2800';
const allInvisible = new RegExp(`[${invisible}]+`, 'gu');
const firstVisible = new RegExp(`[^${invisible}]`, 'u');

export const visibleLength = (text: string) => codePointLength(text.replace(allInvisible, ''));

/** True if a text shows nothing. Called with every key press, so it stops at the first visible character. */
export const isBlank = (text: string) => !firstVisible.test(text);
