import type { Assistant } from '@roster/contracts/assistants';
import type { ReasoningEffort } from '@roster/contracts/models';
import type { Catalogue } from '../../provider/catalogue.ts';
import type { Knowledge } from '../assistants/knowledge/service.ts';

/** What answers in a thread: an assistant's settings, or only a model. */
export type Answerer = {
  assistantId: number | null;
  model: string;
  instructions: string;
  /** null: left out. */
  temperature: number | null;
  effort: ReasoningEffort | null;
  /** The files that it may search, and what is to be said of those that it cannot. */
  knowledge: Knowledge;
};

type Dependencies = {
  catalogue: Catalogue;
  findAssistant: (userId: number, assistantId: number) => Promise<Assistant | undefined>;
  defaultModel: (userId: number) => Promise<string>;
  knowledgeOf: (userId: number, assistantId: number) => Promise<Knowledge>;
};

const nothingKnown: Knowledge = { search: undefined, notes: [] };

/** Sends only what the model is known to take; of an unknown model everything is tried. */
export function answererFinder({ catalogue, findAssistant, defaultModel, knowledgeOf }: Dependencies) {
  return async function answererFor(userId: number, assistantId: number | null): Promise<Answerer> {
    const assistant = assistantId === null ? undefined : await findAssistant(userId, assistantId);
    if (!assistant)
      return {
        assistantId: null,
        model: await defaultModel(userId),
        instructions: '',
        temperature: null,
        effort: null,
        knowledge: nothingKnown,
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
      knowledge: assistant.files > 0 ? await knowledgeOf(userId, assistant.id) : nothingKnown,
    };
  };
}
