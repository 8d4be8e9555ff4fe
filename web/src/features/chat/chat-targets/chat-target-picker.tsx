import { useMemo } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { someHaveAvatars } from '#web/components/assistant-avatar.tsx';
import { ModelPicker } from '#web/components/model-picker/model-picker.tsx';
import type { ExtraGroup } from '#web/components/model-picker/picker-rows.ts';
import type { ModelPickerProps } from '#web/components/model-picker/use-picker.ts';
import { type ChatTarget, type Choice, useChatTargets } from '#web/features/chat/shared/use-assistants.ts';

export type ChatTargetPickerProps = Pick<
  ModelPickerProps,
  'anchor' | 'label' | 'align' | 'modelSelection' | 'begin' | 'onClose'
> & {
  current: Choice | null;
  onChoose: (choice: Choice) => void;
  /** Leaves out assistants. */
  modelsOnly?: boolean | undefined;
};

/** Assistants, and the default model for those who want none. */
function groupsOf(
  chatTargets: readonly ChatTarget[],
  { current, onChoose }: Pick<ChatTargetPickerProps, 'current' | 'onChoose'>,
): ExtraGroup[] {
  const always = someHaveAvatars(chatTargets);
  const options = chatTargets.map(({ assistantId, name, model, icon, color }) => ({
    id: `assistant-${assistantId ?? 'none'}`,
    label: assistantId === null ? 'Default model' : name,
    look: assistantId === null ? undefined : { name, icon, color, always },
    note: model === null ? undefined : modelName(model),
    isChosen: current !== null && current.assistantId === assistantId && current.model === null,
    onTake: () => onChoose({ assistantId, model: null }),
  }));
  return [
    { title: 'Assistants', options: options.filter(({ id }) => id !== 'assistant-none') },
    { title: 'No assistant', options: options.filter(({ id }) => id === 'assistant-none') },
  ];
}

/** Searchable list of assistants and models with their prices. */
export function ChatTargetPicker({ current, onChoose, modelsOnly = false, ...rest }: ChatTargetPickerProps) {
  const chatTargets = useChatTargets()?.chatTargets;
  const extras = useMemo(
    () => (modelsOnly ? [] : groupsOf(chatTargets ?? [], { current, onChoose })),
    [chatTargets, current, onChoose, modelsOnly],
  );
  return (
    <ModelPicker
      {...rest}
      current={current?.assistantId === null ? current.model : null}
      extras={extras}
      onChoose={(model) => onChoose({ assistantId: null, model })}
    />
  );
}
