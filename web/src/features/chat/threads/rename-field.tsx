import type { Thread } from '@roster/contracts/chat';
import { isBlank } from '@roster/contracts/text/blank';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useUpdateThread } from '#web/features/chat/shared/mutations.ts';
import { ApiError, errorText } from '#web/lib/api-client.ts';
import { isEnter, isImeKey } from '#web/lib/keyboard/enter-key.ts';
import { classNames } from '#web/ui/class-names.ts';
import { Input } from '#web/ui/forms/input.tsx';

type RenameFieldProps = { thread: Thread; onDone: () => void; className?: string | undefined };

/** The typed title, and why it was not saved. */
function useRenaming({ thread, onDone }: RenameFieldProps) {
  const [title, setTitle] = useState(thread.title);
  const [error, setError] = useState<string | null>(null);
  const finished = useRef(false);
  const update = useUpdateThread();
  const done = () => {
    finished.current = true;
    onDone();
  };
  /** The server validates the title. */
  const save = (isLeaving: boolean) => {
    if (finished.current || update.isPending) return;
    if (title.trim() === thread.title || (isLeaving && isBlank(title))) return done();
    update.mutate(
      { id: thread.id, changes: { title } },
      {
        onSuccess: done,
        onError: (failure) => setError((failure instanceof ApiError && failure.fields?.title) || errorText(failure)),
      },
    );
  };
  const change = (typed: string) => {
    setTitle(typed);
    setError(null);
  };
  return { title, error, change, save, done };
}

/** Edits a title in place. Enter or blur saves it, Esc cancels. */
export function RenameField(props: RenameFieldProps) {
  const { title, error, change, save, done } = useRenaming(props);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const keyDown = (event: KeyboardEvent) => {
    if (isImeKey(event.nativeEvent)) return;
    if (isEnter(event.nativeEvent)) save(false);
    else if (event.key === 'Escape') {
      event.preventDefault();
      done();
    }
  };
  return (
    <div className={classNames('py-px', props.className)}>
      <Input
        ref={input}
        value={title}
        aria-label="Title of the conversation"
        aria-invalid={error ? true : undefined}
        onChange={(event) => change(event.target.value)}
        onBlur={() => save(true)}
        onKeyDown={keyDown}
        className="h-10 px-2"
      />
      {error && (
        <p role="alert" className="px-2 pt-1 text-destructive-text text-sm">
          {error}
        </p>
      )}
    </div>
  );
}
