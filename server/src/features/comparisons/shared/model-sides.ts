import type { ComparedSettings } from '@roster/contracts/comparisons/comparisons';

/** What a side is asked with that is a model by itself. */
const settingsOf = (model: string, temperature: number | null): ComparedSettings => ({
  label: model,
  model,
  instructions: null,
  temperature,
  effort: null,
  responseSchema: null,
  assistantVersion: null,
});

/** How two models by themselves are compared. */
export const modelSides = (candidate: string, baseline: string, temperature: number | null) => ({
  title: `${candidate} and ${baseline}`,
  candidate: settingsOf(candidate, temperature),
  baseline: settingsOf(baseline, temperature),
});
