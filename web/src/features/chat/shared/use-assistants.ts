import type { Assistant } from '@roster/contracts/assistants/assistants';
import { useQuery } from '@tanstack/react-query';
import { assistantsQuery } from '#web/api/assistants.ts';
import { modelName } from '#web/api/model-names.ts';
import { modelsQuery } from '#web/api/models.ts';
import type { AssistantAppearance } from '#web/components/assistant-avatar.tsx';
import { useAppReady } from '#web/lib/app-ready.ts';

/** An assistant or a model that answers; null for both is the default model. */
export type Choice = { assistantId: number | null; model: string | null };

/** A chat target for display. For a plain model, `model` is the default one if none is chosen. */
export type ChatTarget = AssistantAppearance & {
  assistantId: number | null;
  model: string | null;
  description: string;
  starters: readonly string[];
};

const toChatTarget = ({ id, name, model, description, starters, icon, color }: Assistant): ChatTarget => ({
  assistantId: id,
  ...{ name, model, description, starters, icon, color },
});

type ChatTargets = { chatTargets: ChatTarget[]; defaultTarget: ChatTarget; plain: ChatTarget };

/** Possible chat targets, the plain model last. Undefined while loading. */
export function useChatTargets(): ChatTargets | undefined {
  const assistants = useQuery(assistantsQuery);
  const models = useQuery({ ...modelsQuery, enabled: useAppReady() });
  const plain: ChatTarget = {
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
  const chatTargets = [...list.map(toChatTarget), plain];
  const preferred = list.find((assistant) => assistant.isDefault);
  return { chatTargets, plain, defaultTarget: preferred ? toChatTarget(preferred) : plain };
}

export const findChatTarget = (chatTargets: readonly ChatTarget[] | undefined, assistantId: number | null) =>
  chatTargets?.find((chatTarget) => chatTarget.assistantId === assistantId);

/** The chat target of a choice; if its assistant was deleted, the plain model. */
export function chatTargetOf(known: ChatTargets | undefined, { assistantId, model }: Choice): ChatTarget | undefined {
  if (!known) return undefined;
  const alone = model === null ? known.plain : { ...known.plain, model };
  return assistantId === null ? alone : (findChatTarget(known.chatTargets, assistantId) ?? alone);
}

/** 'Tutor · gpt-4o' */
export const chatTargetLabel = ({ name, model }: ChatTarget): string =>
  model === null ? name : `${name} · ${modelName(model)}`;

/** Placeholder of the composer. */
export const placeholderFor = (chatTarget: ChatTarget | undefined): string =>
  chatTarget && chatTarget.assistantId !== null ? `Message ${chatTarget.name}` : 'Write a message';
