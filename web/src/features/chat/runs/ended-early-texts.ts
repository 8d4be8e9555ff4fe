import type { EndedEarly } from '@roster/contracts/chat';

export const endedEarlyTexts: Record<EndedEarly, string> = {
  length: 'The answer reached the output limit.',
  content_filter: 'The provider’s content filter ended this answer.',
};
