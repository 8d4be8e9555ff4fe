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
import { afterUsable } from '#web/lib/usable.ts';
import { classNames } from '#web/ui/class-names.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import type { StoredFile, uploadsAt } from './attachment-uploads.ts';
import { useMessageLength } from './use-message-length.ts';

const loadAttachments = () => import('./composer-attachments.tsx');
const ComposerAttachments = lazy(async () => ({ default: (await afterUsable(loadAttachments)).ComposerAttachments }));
// Asked for soon: what is attached must be known before anything is sent.
afterUsable(loadAttachments).catch(() => undefined);

/** The files that go along with the message. */
export type Attached = {
  files: readonly StoredFile[];
  /** Some are still on their way. */
  waits: boolean;
  hasFailed: boolean;
  store: Pick<ReturnType<typeof uploadsAt>, 'sending' | 'notSent' | 'sent'>;
};

export type ComposerProps = {
  ref?: Ref<HTMLTextAreaElement> | undefined;
  /** Where the text is kept until it is sent. */
  place: string;
  placeholder: string;
  /**
   * Shows the message at once. Resolves when the server has it, with the place of what is written next; with null where
   * it was refused: then it stands here again.
   */
  onSend: (text: string, overBudget: boolean, files: readonly StoredFile[]) => Promise<string | null>;
  sending: boolean;
  /** Nothing can be sent for a moment; Enter pressed meanwhile counts when it is over. */
  waiting?: boolean | undefined;
  /** What is kept at the place was sent elsewhere already: it goes as soon as it can. */
  sendsAtOnce?: boolean | undefined;
  /** While an answer is being written, Stop is where Send was. */
  onStop?: (() => void) | undefined;
  stopping?: boolean | undefined;
  onEditLast?: (() => void) | undefined;
  /** What went wrong, above the text; may offer to send it all the same. */
  notice?: ((sendOverBudget: () => void) => ReactNode) | undefined;
};

const joined = (sent: string, next: string) => (sent === '' ? next : next.trim() === '' ? sent : `${sent}\n\n${next}`);

export function Composer(props: ComposerProps) {
  const {
    ref,
    place,
    placeholder,
    onSend,
    sending,
    waiting = false,
    sendsAtOnce = false,
    onStop,
    stopping,
    onEditLast,
    notice,
  } = props;
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

  /** Sent, and not known to have arrived: kept with what is written after it, so that a reload loses neither. */
  const underWay = useRef<string | null>(null);
  const written = useRef(text);
  const change = (next: string) => {
    setText(next);
    written.current = next;
    writeDraft(place, joined(underWay.current ?? '', next));
  };
  const [wanted, setWanted] = useState(sendsAtOnce);
  // Until it is known what is attached, nothing of it must be left out.
  const mustWait = waiting || !attached || attached.waits;
  const send = async (overBudget = false) => {
    // At once, not with the next drawing of this page: what is pressed twice is sent once.
    if (underWay.current !== null) return;
    if (isEmpty || tooLong || sending || onStop) return;
    if (attached?.hasFailed) return;
    if (!attached || mustWait) return setWanted(true);
    const { files, store } = attached;
    const ids = files.map(({ id }) => id);
    underWay.current = text;
    change('');
    store.sending(ids);
    const nextPlace = await onSend(text, overBudget, files);
    underWay.current = null;
    if (nextPlace === null) {
      store.notSent(ids);
      change(joined(text, written.current));
      return;
    }
    store.sent(ids);
    writeDraft(place, '');
    // What was typed while the message was on its way is the next one.
    writeDraft(nextPlace, written.current);
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
