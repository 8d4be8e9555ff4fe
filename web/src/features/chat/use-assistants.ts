import type { Assistant } from '@roster/contracts/assistants';
import { useQuery } from '@tanstack/react-query';
import { assistantsQuery } from '#web/data/assistants.ts';
import { modelsQuery } from '#web/data/models.ts';

/** Who answers: an assistant, or the model alone with nothing said about how. */
export type Answerer = { assistantId: number | null; name: string; model: string | null; description: string };

const asAnswerer = ({ id, name, model, description }: Assistant): Answerer => ({
  assistantId: id,
  name,
  model,
  description,
});

/** The ones a conversation can be held with; the model alone comes last. Undefined while they are being loaded. */
export function useAnswerers(): { answerers: Answerer[]; defaultAnswerer: Answerer; plain: Answerer } | undefined {
  const assistants = useQuery(assistantsQuery);
  const models = useQuery(modelsQuery);
  const plain: Answerer = {
    assistantId: null,
    name: 'No assistant',
    model: models.data?.defaultModel ?? null,
    description: '',
  };
  if (!assistants.data && !assistants.error) return undefined;
  const list = assistants.data ?? [];
  const answerers = [...list.map(asAnswerer), plain];
  const preferred = list.find((assistant) => assistant.isDefault);
  return { answerers, plain, defaultAnswerer: preferred ? asAnswerer(preferred) : plain };
}

export const findAnswerer = (answerers: readonly Answerer[] | undefined, assistantId: number | null) =>
  answerers?.find((answerer) => answerer.assistantId === assistantId);

/** 'Tutor · gpt-4o' */
export const answererLabel = ({ name, model }: Answerer): string => (model === null ? name : `${name} · ${model}`);
