import type { Assistant } from '@roster/contracts/assistants/assistants';
import { useQuery } from '@tanstack/react-query';
import { assistantsQuery } from '#web/api/assistants.ts';
import { modelsQuery } from '#web/api/models.ts';
import type { AssistantAppearance } from '#web/components/assistant-avatar.tsx';
import { useAppReady } from '#web/lib/app-ready.ts';

/** An assistant or a model that answers; null for both is the default model. */
export type Choice = { assistantId: number | null; model: string | null };

/** An answerer for display. For a plain model, `model` is the default one if none is chosen. */
export type Answerer = AssistantAppearance & {
  assistantId: number | null;
  model: string | null;
  description: string;
  starters: readonly string[];
};

const asAnswerer = ({ id, name, model, description, starters, icon, color }: Assistant): Answerer => ({
  assistantId: id,
  ...{ name, model, description, starters, icon, color },
});

type Answerers = { answerers: Answerer[]; defaultAnswerer: Answerer; plain: Answerer };

/** Possible answerers, the plain model last. Undefined while loading. */
export function useAnswerers(): Answerers | undefined {
  const assistants = useQuery(assistantsQuery);
  const models = useQuery({ ...modelsQuery, enabled: useAppReady() });
  const plain: Answerer = {
    assistantId: null,
    name: 'No assistant',
    model: models.data?.defaultModel ?? null,
    description: '',
    starters: [],
    icon: null,
    color: null,
  };
  if (!assistants.data && !assistants.error) return undefined;
  const list = assistants.data ?? [];
  const answerers = [...list.map(asAnswerer), plain];
  const preferred = list.find((assistant) => assistant.isDefault);
  return { answerers, plain, defaultAnswerer: preferred ? asAnswerer(preferred) : plain };
}

export const findAnswerer = (answerers: readonly Answerer[] | undefined, assistantId: number | null) =>
  answerers?.find((answerer) => answerer.assistantId === assistantId);

/** The answerer of a choice; if its assistant was deleted, the plain model. */
export function answererOf(known: Answerers | undefined, { assistantId, model }: Choice): Answerer | undefined {
  if (!known) return undefined;
  const alone = model === null ? known.plain : { ...known.plain, model };
  return assistantId === null ? alone : (findAnswerer(known.answerers, assistantId) ?? alone);
}

/** 'Tutor · gpt-4o' */
export const answererLabel = ({ name, model }: Answerer): string => (model === null ? name : `${name} · ${model}`);

/** Placeholder of the composer. */
export const placeholderFor = (answerer: Answerer | undefined): string =>
  answerer && answerer.assistantId !== null ? `Message ${answerer.name}` : 'Write a message';
