import { ChevronDown } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { AssistantAvatar } from '#web/components/assistant-avatar.tsx';
import { ModelName } from '#web/components/model-name.tsx';
import { type Choice, chatTargetOf, useChatTargets } from '#web/features/chat/shared/use-assistants.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { Button } from '#web/ui/button.tsx';
import type { ChatTargetPickerProps } from './chat-target-picker.tsx';

/** Preloaded, so that it opens at once. */
const ChatTargetPicker = lazyPart<ChatTargetPickerProps>(
  async () => (await import('./chat-target-picker.tsx')).ChatTargetPicker,
);

type PickerButtonProps = Omit<ChatTargetPickerProps, 'anchor' | 'onClose'> & {
  /** Renders the button with the props for opening a popup. */
  button: (props: {
    'aria-haspopup': 'dialog';
    'aria-expanded': boolean;
    onClick: () => void;
    onPointerEnter: () => void;
    onFocus: () => void;
  }) => ReactNode;
};

/** A button that opens the picker of assistants and models. */
export function PickerButton({ button, ...picker }: PickerButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const wrapper = useRef<HTMLSpanElement>(null);
  const anchor = () => wrapper.current?.querySelector<HTMLElement>('[aria-haspopup="dialog"]') ?? null;
  return (
    <span ref={wrapper} className="contents">
      {button({
        'aria-haspopup': 'dialog',
        'aria-expanded': isOpen,
        onClick: () => setOpen(!isOpen),
        onPointerEnter: ChatTargetPicker.preload,
        onFocus: ChatTargetPicker.preload,
      })}
      {isOpen && (
        <ChatTargetPicker
          {...picker}
          anchor={anchor}
          onClose={(returnFocus) => {
            setOpen(false);
            if (returnFocus) anchor()?.focus();
          }}
        />
      )}
    </span>
  );
}

type ChatTargetMenuProps = {
  current: Choice;
  onChoose: (choice: Choice) => void;
  modelSelection?: ChatTargetPickerProps['modelSelection'];
  label?: string | undefined;
};

/** Selects what answers from here on. */
export function ChatTargetMenu({ current, onChoose, modelSelection, label }: ChatTargetMenuProps) {
  const known = useChatTargets();
  useEffect(() => {
    const timer = setTimeout(ChatTargetPicker.preload, 2000);
    return () => clearTimeout(timer);
  }, []);
  const chatTarget = chatTargetOf(known, current);
  if (!known || !chatTarget) return null;
  const isAlone = chatTarget.assistantId === null;
  const count = modelSelection?.models.length ?? 0;
  return (
    <PickerButton
      label="Who answers"
      current={{ assistantId: chatTarget.assistantId, model: isAlone ? current.model : null }}
      onChoose={onChoose}
      modelSelection={modelSelection}
      button={(props) => (
        <Button size="sm" variant={label ? 'secondary' : 'ghost'} className="min-w-0 shrink! max-md:h-10" {...props}>
          {label ? (
            <span dir="auto" className="truncate">
              {label}
            </span>
          ) : count > 0 ? (
            <span className="truncate">{count} models</span>
          ) : (
            <>
              <span className="sr-only">{isAlone ? 'Model: ' : 'Assistant: '}</span>
              <AssistantAvatar {...chatTarget} />
              {!isAlone && <bdi className="max-w-44 truncate max-md:max-w-[44vw]">{chatTarget.name}</bdi>}
              <span className="max-w-44 truncate font-mono font-normal text-muted-foreground text-xs">
                {chatTarget.model === null ? isAlone && 'Default model' : <ModelName model={chatTarget.model} />}
              </span>
            </>
          )}
          <ChevronDown aria-hidden className="size-4 shrink-0" />
        </Button>
      )}
    />
  );
}
