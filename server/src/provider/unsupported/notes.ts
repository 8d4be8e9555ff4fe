import { modelIdOf } from '@roster/contracts/models/model-reference';

/** Under each name that Roster or a provider uses for a setting that an answer can do without. */
const inWords: Record<string, string> = {
  temperature: 'The temperature',
  top_p: 'The nucleus sampling',
  effort: 'The reasoning effort',
  reasoning: 'The reasoning effort',
  reasoning_effort: 'The reasoning effort',
  format: 'The answer format',
  text: 'The answer format',
  response_format: 'The answer format',
};

/** The note for an omitted setting; undefined: it is internal to Roster. */
export const unsupportedSettingNote = (setting: string, model: string): string | undefined =>
  inWords[setting] && `${inWords[setting]} was left out: ${modelIdOf(model)} does not accept it.`;
