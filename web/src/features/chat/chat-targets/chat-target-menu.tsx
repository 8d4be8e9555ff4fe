import { ChevronDown } from 'lucide-react';
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { AssistantAvatar } from '#web/components/assistant-avatar.tsx';
import { preload } from '#web/lib/preload.ts';
import { Button } from '#web/ui/button.tsx';
import type { ChatTargetPickerProps } from './chat-target-picker.tsx';
import { type Choice, chatTargetFor, useChatTargets } from './use-chat-targets.ts';

const loadPicker = () => import('./chat-target-picker.tsx');
const ChatTargetPicker: ComponentType<ChatTargetPickerProps> = lazy(async () => ({
  default: (await loadPicker()).ChatTargetPicker,
}));
/** Before it is opened, so that it is there in the same moment. */
const preloadPicker = () => preload(loadPicker);

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
        onPointerEnter: preloadPicker,
        onFocus: preloadPicker,
      })}
      {isOpen && (
        <Suspense>
          <ChatTargetPicker
            {...picker}
            anchor={anchor}
            onClose={(returnFocus) => {
              setOpen(false);
              if (returnFocus) anchor()?.focus();
            }}
          />
        </Suspense>
      )}
    </span>
  );
}

type AnswererMenuProps = {
  current: Choice;
  onChoose: (choice: Choice) => void;
  several?: ChatTargetPickerProps['several'];
  label?: string | undefined;
};

/** Selects what answers from here on. */
export function ChatTargetMenu({ current, onChoose, several, label }: AnswererMenuProps) {
  const known = useChatTargets();
  useEffect(() => {
    const timer = setTimeout(preloadPicker, 2000);
    return () => clearTimeout(timer);
  }, []);
  const answerer = chatTargetFor(known, current);
  if (!known || !answerer) return null;
  const isAlone = answerer.assistantId === null;
  const count = several?.models.length ?? 0;
  return (
    <PickerButton
      label="Who answers"
      current={{ assistantId: answerer.assistantId, model: isAlone ? current.model : null }}
      onChoose={onChoose}
      several={several}
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
              <AssistantAvatar {...answerer} />
              {!isAlone && <bdi className="max-w-44 truncate max-md:max-w-[44vw]">{answerer.name}</bdi>}
              <span className="max-w-44 truncate font-mono font-normal text-muted-foreground text-xs">
                {answerer.model ?? (isAlone ? 'Default model' : '')}
              </span>
            </>
          )}
          <ChevronDown aria-hidden className="size-4 shrink-0" />
        </Button>
      )}
    />
  );
}
