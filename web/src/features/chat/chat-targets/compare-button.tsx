import { Plus } from 'lucide-react';
import { type Choice, chatTargetOf, useChatTargets } from '#web/features/chat/shared/use-assistants.ts';
import { Button } from '#web/ui/button.tsx';
import { PickerButton } from './chat-target-menu.tsx';
import type { ChatTargetPickerProps } from './chat-target-picker.tsx';

type CompareButtonProps = {
  current: Choice;
  modelSelection: NonNullable<ChatTargetPickerProps['modelSelection']>;
  /** Called after a choice: the question comes next. */
  onChosen: () => void;
};

const keepOne = () => undefined;

/** Adds models that answer the next question too, side by side. An assistant's instructions go to each. */
export function CompareButton({ current, modelSelection, onChosen }: CompareButtonProps) {
  const answering = chatTargetOf(useChatTargets(), current)?.model;
  const count = modelSelection.models.length;
  const text = count > 0 ? `${count} models` : 'model';
  const choose = (models: string[]) => {
    modelSelection.onChoose(models);
    onChosen();
  };
  return (
    <PickerButton
      label="Compare models"
      align="start"
      current={current}
      modelsOnly
      modelSelection={{ ...modelSelection, onChoose: choose }}
      begin={answering ? [answering] : []}
      onChoose={keepOne}
      button={(props) => (
        <Button
          size="sm"
          variant="ghost"
          icon={count > 0 ? undefined : Plus}
          aria-label={count > 0 ? `Compare ${text}: change` : 'Compare with another model'}
          className="h-9 shrink-0 px-2 text-muted-foreground max-md:h-10"
          {...props}
        >
          {text}
        </Button>
      )}
    />
  );
}
