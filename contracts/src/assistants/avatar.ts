import { z } from 'zod';
import { requiredText } from '../text/text.ts';

export const starterCountLimit = 6;
export const starterLengthLimit = 200;

/** Suggested first messages of a conversation. */
export const Starters = z
  .array(
    requiredText(
      starterLengthLimit,
      `A starter cannot exceed ${starterLengthLimit} characters`,
      'A starter cannot be empty',
    )
      .trim()
      .refine((text) => !/[\n\r]/.test(text), 'A starter is one line'),
  )
  .max(starterCountLimit, `An assistant can have at most ${starterCountLimit} starters`);

export const AssistantIcon = z.enum([
  'bot',
  'book',
  'briefcase',
  'chart',
  'code',
  'flask',
  'globe',
  'graduation',
  'heart',
  'languages',
  'lightbulb',
  'mail',
  'music',
  'palette',
  'pen',
  'scale',
]);
export type AssistantIcon = z.output<typeof AssistantIcon>;

export const AssistantColor = z.enum(['red', 'orange', 'amber', 'green', 'teal', 'blue', 'violet', 'pink']);
export type AssistantColor = z.output<typeof AssistantColor>;
