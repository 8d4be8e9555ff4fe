import { isBlank } from '@roster/contracts/blank';
import { ArrowUp, Square } from 'lucide-react';
import {
  type KeyboardEvent,
  lazy,
  type ReactNode,
  type Ref,
  Suspense,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import { useEditing } from '#web/data/current-user.ts';
import { isUnderWay, type StoredFile } from '#web/features/chat/attachments/attachments.ts';
import { tellProblem } from '#web/lib/toast.ts';
import { afterUsable } from '#web/lib/usable.ts';
import { classNames } from '#web/ui/class-names.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { type ComposerState, composerAt, useComposer } from './composer-state.ts';
import { useFilesInto } from './use-files-into.ts';
import { useMessageLength } from './use-message-length.ts';

const loadAttachments = () => import('./composer-attachments.tsx');
const ComposerAttachments = lazy(async () => ({ default: (await afterUsable(loadAttachments)).ComposerAttachments }));
const loadUploads = () => import('#web/features/chat/attachments/attachment-uploads.ts');

export type ComposerProps = {
  ref?: Ref<HTMLTextAreaElement> | undefined;
  /** Where the text is kept until it is sent. */
  place: string;
  placeholder: string;
  /** Shows the message at once. Whether the server has it; where not, it stands here again. */
  onSend: (text: string, overBudget: boolean, files: readonly StoredFile[]) => Promise<boolean>;
  sending: boolean;
  /** Nothing can be sent for a moment; Enter pressed meanwhile counts when it is over. */
  waiting?: boolean | undefined;
  /** While an answer is being written, Stop is where Send was. */
  onStop?: (() => void) | undefined;
  stopping?: boolean | undefined;
  onEditLast?: (() => void) | undefined;
  /** What went wrong, above the text; may offer to send it all the same. */
  notice?: ((sendOverBudget: () => void) => ReactNode) | undefined;
};

/** Whether there is a message to send, and whether it has to wait for its files or for what sends it. */
const standOf = ({ text, attachments, offered }: ComposerState, waiting: boolean) => ({
  isSendable: !isBlank(text) && !attachments.some(({ state }) => state === 'failed'),
  mustWait: waiting || offered.length > 0 || attachments.some(isUnderWay),
});

export function Composer(props: ComposerProps) {
  const { ref, place, placeholder, onSend, sending, waiting = false, onStop, stopping, onEditLast, notice } = props;
  const composer = useComposer(place);
  const { text, wanted } = composer;
  const { reason } = useEditing();
  const box = useRef<HTMLTextAreaElement>(null);
  const noteId = useId();
  const { counter, tooLong, problem } = useMessageLength(text);
  const { isSendable, mustWait } = standOf(composer, waiting);

  // Where the browser cannot size a field by its content by itself.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text through the page
  useLayoutEffect(() => {
    const field = box.current;
    if (!field || CSS.supports('field-sizing', 'content')) return;
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight}px`;
  }, [text]);

  const send = (overBudget = false) => {
    // As it is now, not as it was drawn: what is pressed twice is sent once, and what was just pasted goes along.
    const store = composerAt(place);
    const now = standOf(store.get(), waiting);
    if (!now.isSendable || store.get().underWay !== null || tooLong || sending || onStop) return;
    if (now.mustWait) return store.set({ wanted: true });
    void store.send((sent, files) => onSend(sent, overBudget, files));
  };
  const sendWanted = useEffectEvent(() => {
    composerAt(place).set({ wanted: false });
    send();
  });
  // Pressed before it was known that an answer is being written: it goes when that has ended.
  const isFree = !mustWait && !sending && !onStop;
  useEffect(() => {
    if (wanted && isFree) sendWanted();
  }, [wanted, isFree]);

  const attach = (files: readonly File[]) => {
    if (files.length === 0) return;
    const store = composerAt(place);
    store.set({ offered: [...store.get().offered, ...files] });
    loadUploads()
      .then(({ attachOffered }) => attachOffered(store, reason))
      .catch(() => {
        store.set({ offered: [] });
        tellProblem({
          title: 'The files cannot be attached',
          description: 'Reload the page and try again.',
        });
      });
  };
  useFilesInto(box, { onFiles: attach, onLongText: (pasted) => composerAt(place).set({ pasted }) });
  const keyDown = (event: KeyboardEvent) => {
    // While an input method composes, Enter chooses a word and Esc drops it.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      send();
    } else if (event.key === 'ArrowUp' && text === '' && onEditLast) {
      event.preventDefault();
      onEditLast();
    }
  };
  return (
    <div data-composer className="shrink-0 px-4 pb-3 max-md:px-3 max-md:pb-2">
      <div className="mx-auto max-w-[760px]">
        {notice?.(() => send(true))}
        <div
          className={classNames(
            'flex flex-wrap items-end gap-2 rounded-lg border border-border-strong bg-card p-1.5 transition-colors duration-120 focus-within:border-ring',
            tooLong && 'border-destructive focus-within:border-destructive',
          )}
        >
          <Suspense fallback={<i className="size-9" />}>
            <ComposerAttachments key={place} place={place} tooLong={tooLong} box={box} onFiles={attach} />
          </Suspense>
          <textarea
            dir="auto"
            ref={(element) => {
              box.current = element;
              if (typeof ref === 'function') ref(element);
              else if (ref) ref.current = element;
            }}
            value={text}
            rows={1}
            onChange={(event) => composerAt(place).set({ text: event.target.value })}
            onKeyDown={keyDown}
            placeholder={placeholder}
            aria-label="Message"
            aria-invalid={tooLong ? true : undefined}
            aria-describedby={counter ? noteId : undefined}
            className="field-sizing-content max-h-[40dvh] min-h-9 min-w-0 flex-1 resize-none overflow-y-auto bg-transparent placeholder:truncate px-2 py-2 text-lg leading-5 outline-none max-md:min-h-10 max-md:py-2.5 md:text-base"
          />
          {onStop ? (
            <IconButton
              label="Stop"
              tooltip="Stop (Esc)"
              icon={Square}
              variant="secondary"
              busy={stopping}
              onClick={onStop}
              className="max-md:size-10 [&_svg]:fill-current"
            />
          ) : (
            <IconButton
              label="Send message"
              tooltip="Send (Enter)"
              icon={ArrowUp}
              variant="primary"
              busy={sending || wanted}
              disabled={!isSendable || tooLong}
              onClick={() => send()}
              className="max-md:size-10"
            />
          )}
        </div>
        {counter && (
          <div id={noteId} className="mt-1.5 flex justify-between gap-4 px-1 text-sm">
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
        )}
      </div>
    </div>
  );
}
