import type { AssistantSettings } from '@roster/contracts/assistants/assistants';
import type { ComparedSettings } from '@roster/contracts/comparisons/comparisons';

/** Settings of a side that is an assistant, saved as that version or not at all. */
export const assistantSide = (
  label: string,
  { model, instructions, temperature, reasoningEffort, responseSchema }: AssistantSettings,
  assistantVersion: number | null,
): ComparedSettings => ({
  label,
  model,
  instructions,
  temperature,
  effort: reasoningEffort,
  responseSchema,
  assistantVersion,
});
