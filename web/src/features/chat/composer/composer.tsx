import { ArrowUp, Square } from 'lucide-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { composerAt, useComposer } from '#web/features/chat/shared/composer-state.ts';
import type { ComposerTools } from '#web/features/chat/shared/thread-tools.ts';
import { afterContent } from '#web/lib/app-ready.ts';
import { isImeKey, isSubmitKey } from '#web/lib/keyboard/enter-key.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { toastError } from '#web/lib/toast.ts';
import { classNames } from '#web/ui/class-names.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { useDropAndPaste } from './use-drop-and-paste.ts';
import { useMessageLength } from './use-message-length.ts';
import { type SendingProps, useSendMessage } from './use-send-message.ts';

/** Resizes the field to its content where the browser cannot do that in CSS. */
function useContentHeight(box: RefObject<HTMLTextAreaElement | null>, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text through the page
  useLayoutEffect(() => {
    const field = box.current;
    if (!field || CSS.supports('field-sizing', 'content')) return;
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight}px`;
  }, [text]);
}

const ComposerAttachments = lazyPart(
  async () => (await afterContent(() => import('./composer-attachments.tsx'))).ComposerAttachments,
  { pending: () => <i className="size-9" /> },
);
const loadUploads = () => import('#web/features/chat/attachments/attachment-uploads.ts');

type ComposerProps = SendingProps & {
  ref?: Ref<HTMLTextAreaElement> | undefined;
  placeholder: string;
  stopping?: boolean | undefined;
  /** Marks the message field. */
  temporary?: boolean | undefined;
  onEditLast?: (() => void) | undefined;
  /** undefined while unknown. */
  tools?: ComposerTools | undefined;
  /** Error above the text; may offer to send anyway. */
  notice?: ((sendOverBudget: () => void) => ReactNode) | undefined;
  /** The button that adds models to ask; `onChosen` goes back to the message. */
  compare?: ((onChosen: () => void) => ReactNode) | undefined;
};

/** Files may arrive before the chunk for attachments has loaded. */
async function attach(place: string, files: readonly File[], reason: string | undefined) {
  if (files.length === 0) return;
  const store = composerAt(place);
  store.set({ pendingFiles: [...store.get().pendingFiles, ...files] });
  try {
    (await loadUploads()).attachPending(store, reason);
  } catch {
    store.set({ pendingFiles: [] });
    toastError({ title: 'The files cannot be attached', description: 'Reload the page and try again.' });
  }
}

/** The message field with its attachments. */
export function Composer(props: ComposerProps) {
  const { ref, place, placeholder, onStop, stopping, onEditLast, tools, notice } = props;
  const { text } = useComposer(place);
  const { reason } = useEditAccess();
  const box = useRef<HTMLTextAreaElement>(null);
  const noteId = useId();
  const { counter, tooLong, problem } = useMessageLength(text);
  const { submit, canSend, isBusy } = useSendMessage(props, tooLong);
  const onFiles = (files: readonly File[]) => void attach(place, files, reason);
  useDropAndPaste(box, { onFiles, onLongText: (pasted) => composerAt(place).set({ pasted }) });

  return (
    <div data-composer data-sends className="shrink-0 px-4 pb-3 max-md:px-3 max-md:pb-2">
      <div className="mx-auto max-w-[760px]">
        {notice?.(() => submit(true))}
        <div
          className={classNames(
            'flex flex-wrap items-end gap-2 rounded-lg border bg-card p-1.5 transition-colors duration-120 focus-within:border-ring',
            props.temporary ? 'border-accent border-dashed' : 'border-border-strong',
            props.temporary && !tooLong && 'focus-within:border-accent!',
            tooLong && 'border-destructive focus-within:border-destructive',
          )}
        >
          <ComposerAttachments key={place} place={place} tooLong={tooLong} box={box} tools={tools} onFiles={onFiles} />
          {props.compare?.(() => box.current?.focus())}
          <MessageBox
            {...{ box, place, text, placeholder, onEditLast }}
            outerRef={ref}
            onEnter={() => submit()}
            invalid={tooLong}
            noteId={counter ? noteId : undefined}
          />
          {/* On phones the field has a line of its own, and the buttons are below it. */}
          <span className="flex-1 md:hidden" />
          {onStop && canSend && (
            <IconButton label="Send next" icon={ArrowUp} variant="primary" busy={isBusy} onClick={() => submit()} />
          )}
          <SendOrStop onStop={onStop} stopping={stopping} disabled={!canSend} busy={isBusy} onSend={() => submit()} />
        </div>
        {counter && <LengthNote id={noteId} counter={counter} tooLong={tooLong} problem={problem} />}
      </div>
    </div>
  );
}

type MessageBoxProps = Pick<ComposerProps, 'place' | 'placeholder' | 'onEditLast'> & {
  box: RefObject<HTMLTextAreaElement | null>;
  outerRef: ComposerProps['ref'];
  text: string;
  onEnter: () => void;
  invalid: boolean;
  noteId: string | undefined;
};

function MessageBox(props: MessageBoxProps) {
  const { box, outerRef, place, text, placeholder, onEnter, onEditLast, invalid, noteId } = props;
  useContentHeight(box, text);
  const keyDown = (event: KeyboardEvent) => {
    if (isSubmitKey(event.nativeEvent)) {
      event.preventDefault();
      onEnter();
    } else if (event.key === 'ArrowUp' && text === '' && onEditLast && !isImeKey(event.nativeEvent)) {
      event.preventDefault();
      onEditLast();
    }
  };
  return (
    <textarea
      dir="auto"
      ref={(element) => {
        box.current = element;
        if (typeof outerRef === 'function') outerRef(element);
        else if (outerRef) outerRef.current = element;
      }}
      value={text}
      rows={1}
      onChange={(event) => composerAt(place).set({ text: event.target.value })}
      onKeyDown={keyDown}
      enterKeyHint="enter"
      placeholder={placeholder}
      aria-label="Message"
      aria-invalid={invalid ? true : undefined}
      aria-describedby={noteId}
      className="field-sizing-content max-h-[40dvh] min-h-9 min-w-0 flex-1 resize-none overflow-y-auto bg-transparent placeholder:truncate px-2 py-2 text-lg leading-5 outline-none max-md:-order-1 max-md:min-h-10 max-md:basis-full max-md:py-2.5 md:text-base"
    />
  );
}

type SendOrStopProps = Pick<ComposerProps, 'onStop' | 'stopping'> & {
  disabled: boolean;
  busy: boolean;
  onSend: () => void;
};

/**
 * One button for Send and Stop, so that focus stays when it changes. A press counts as what the button was at its
 * start, and the second click of a double click belongs to the first: sending that way does not stop the answer.
 */
function SendOrStop({ onStop, stopping, disabled, busy, onSend }: SendOrStopProps) {
  const task = onStop ? 'stop' : 'send';
  // null on mount: the first message moves the conversation to its own address, where a new button takes over.
  const started = useRef<typeof task>(null);
  const press = {
    onMouseDown: ({ detail }: MouseEvent) => {
      if (detail !== 2) started.current = task;
    },
    onClick: ({ detail }: MouseEvent) => {
      const isFromKeyboard = detail === 0;
      if (isFromKeyboard || started.current === task) (onStop ?? onSend)();
    },
  };
  return onStop ? (
    <IconButton
      {...press}
      label="Stop"
      tooltip="Stop (Esc)"
      icon={Square}
      variant="secondary"
      busy={stopping}
      className="max-md:size-10 [&_svg]:fill-current"
    />
  ) : (
    <IconButton
      {...press}
      label="Send message"
      tooltip="Send (Enter)"
      icon={ArrowUp}
      variant="primary"
      busy={busy}
      disabled={disabled}
      className="max-md:size-10"
    />
  );
}

type LengthNoteProps = { id: string; counter: string; tooLong: boolean; problem: string | null };

function LengthNote({ id, counter, tooLong, problem }: LengthNoteProps) {
  return (
    <div id={id} className="mt-1.5 flex justify-between gap-4 px-1 text-sm">
      <p aria-live="polite" className="text-destructive-text">
        {problem}
      </p>
      <p
        className={classNames(
          'shrink-0 tabular-nums',
          tooLong ? 'font-medium text-destructive-text' : 'text-muted-foreground',
        )}
      >
        {counter}
      </p>
    </div>
  );
}
