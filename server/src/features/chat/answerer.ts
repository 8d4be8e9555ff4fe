import type { Assistant } from '@roster/contracts/assistants';
import type { ReasoningEffort } from '@roster/contracts/models';
import type { Catalogue } from '../../provider/catalogue.ts';

/** What answers in a thread: an assistant's settings, or only a model. */
export type Answerer = {
  assistantId: number | null;
  model: string;
  instructions: string;
  /** null: left out. */
  temperature: number | null;
  effort: ReasoningEffort | null;
};

type Dependencies = {
  catalogue: Catalogue;
  findAssistant: (userId: number, assistantId: number) => Promise<Assistant | undefined>;
  defaultModel: (userId: number) => Promise<string>;
};

/** Sends only what the model is known to take; of an unknown model everything is tried. */
export function answererFinder({ catalogue, findAssistant, defaultModel }: Dependencies) {
  return async function answererFor(userId: number, assistantId: number | null): Promise<Answerer> {
    const assistant = assistantId === null ? undefined : await findAssistant(userId, assistantId);
    if (!assistant)
      return {
        assistantId: null,
        model: await defaultModel(userId),
        instructions: '',
        temperature: null,
        effort: null,
      };
    const { model, instructions, temperature, reasoningEffort } = assistant;
    const known = catalogue.describe(model, null, '');
    const takesEffort = known.temperature === 'unknown' || (reasoningEffort && known.efforts.includes(reasoningEffort));
    const effort = takesEffort ? reasoningEffort : null;
    const takesTemperature =
      known.temperature === 'yes' ||
      known.temperature === 'unknown' ||
      (known.temperature === 'conditional' && effort === 'none');
    return {
      assistantId: assistant.id,
      model,
      instructions,
      temperature: takesTemperature ? temperature : null,
      effort,
    };
  };
}
