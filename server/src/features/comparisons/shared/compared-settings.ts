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

/** Settings of a side that is a model alone. */
const settingsOf = (model: string, temperature: number | null): ComparedSettings => ({
  label: model,
  model,
  instructions: null,
  temperature,
  effort: null,
  responseSchema: null,
  assistantVersion: null,
});

/** Settings of a comparison of two models alone. */
export const modelSides = (candidate: string, baseline: string, temperature: number | null) => ({
  title: `${candidate} and ${baseline}`,
  candidate: settingsOf(candidate, temperature),
  baseline: settingsOf(baseline, temperature),
});
