import { ArrowUp, Square } from 'lucide-react';
import {
  type KeyboardEvent,
  lazy,
  type ReactNode,
  type Ref,
  Suspense,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { readDraft, writeDraft } from '#web/lib/drafts.ts';
import { classNames } from '#web/ui/class-names.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { useMessageLength } from './use-message-length.ts';

const loadAttachments = () => import('./composer-attachments.tsx');
const ComposerAttachments = lazy(async () => ({ default: (await loadAttachments()).ComposerAttachments }));
// Asked for at once: what is attached must be known before anything is sent.
loadAttachments().catch(() => undefined);

/** The files that go along with the message. */
export type Attached = {
  fileIds: readonly number[];
  /** Some are still on their way. */
  waits: boolean;
  hasFailed: boolean;
  sent: (ids: readonly number[]) => void;
};

export type ComposerProps = {
  ref?: Ref<HTMLTextAreaElement> | undefined;
  /** Where the text is kept until it is sent. */
  place: string;
  placeholder: string;
  /** Resolves when the server has the message; only then is the text cleared. */
  onSend: (text: string, overBudget: boolean, fileIds: readonly number[]) => Promise<boolean>;
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

export function Composer(props: ComposerProps) {
  const { ref, place, placeholder, onSend, sending, waiting = false, onStop, stopping, onEditLast, notice } = props;
  const [text, setText] = useState(() => readDraft(place));
  const box = useRef<HTMLTextAreaElement>(null);
  const noteId = useId();
  const isEmpty = text.trim() === '';
  const { counter, tooLong, problem } = useMessageLength(text);
  const [attached, setAttached] = useState<Attached | null>(null);

  // Where the browser cannot size a field by its content by itself.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text through the page
  useLayoutEffect(() => {
    const field = box.current;
    if (!field || CSS.supports('field-sizing', 'content')) return;
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight}px`;
  }, [text]);

  const change = (next: string) => {
    setText(next);
    writeDraft(place, next);
  };
  const [wanted, setWanted] = useState(false);
  // Until it is known what is attached, nothing of it must be left out.
  const mustWait = waiting || !attached || attached.waits;
  const send = async (overBudget = false) => {
    if (isEmpty || tooLong || sending || onStop) return;
    if (attached?.hasFailed) return;
    if (!attached || mustWait) return setWanted(true);
    const sent = text;
    const { fileIds } = attached;
    if (!(await onSend(sent, overBudget, fileIds))) return;
    attached.sent(fileIds);
    // What was typed while the message was on its way is the next one.
    setText((current) => {
      const rest = current.startsWith(sent) ? current.slice(sent.length) : current;
      writeDraft(place, rest);
      return rest;
    });
  };
  useEffect(() => {
    if (!wanted || mustWait) return;
    setWanted(false);
    void send();
  });
  const keyDown = (event: KeyboardEvent) => {
    // While an input method composes, Enter chooses a word and Esc drops it.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      void send();
    } else if (event.key === 'ArrowUp' && text === '' && onEditLast) {
      event.preventDefault();
      onEditLast();
    }
  };
  return (
    <div data-composer className="shrink-0 px-4 pb-3 max-md:px-3 max-md:pb-2">
      <div className="mx-auto max-w-[760px]">
        {notice?.(() => void send(true))}
        <div
          className={classNames(
            'flex flex-wrap items-end gap-2 rounded-lg border border-border-strong bg-card p-1.5 transition-colors duration-120 focus-within:border-ring',
            tooLong && 'border-destructive focus-within:border-destructive',
          )}
        >
          <Suspense fallback={<i className="size-9" />}>
            <ComposerAttachments
              key={place}
              place={place}
              text={text}
              tooLong={tooLong}
              box={box}
              onText={change}
              onAttached={setAttached}
            />
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
            onChange={(event) => change(event.target.value)}
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
              disabled={isEmpty || tooLong || attached?.hasFailed}
              onClick={() => void send()}
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
