import { isBlank } from '@roster/contracts/blank';
import type { Thread } from '@roster/contracts/chat';
import { useEffect, useRef, useState } from 'react';
import { ApiError, errorText } from '#web/lib/api.ts';
import { classNames } from '#web/ui/class-names.ts';
import { Input } from '#web/ui/input.tsx';
import { useUpdateThread } from './mutations.ts';

/** A title being edited in place. Enter or losing the focus saves it, Esc does not. */
export function RenameField({
  thread,
  onDone,
  className,
}: {
  thread: Thread;
  onDone: () => void;
  className?: string | undefined;
}) {
  const [title, setTitle] = useState(thread.title);
  const [error, setError] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const finished = useRef(false);
  const update = useUpdateThread();
  useEffect(() => input.current?.select(), []);

  const done = () => {
    finished.current = true;
    onDone();
  };
  /** The contract's words for a title that cannot be used come from the server. */
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
  return (
    <div className={classNames('py-px', className)}>
      <Input
        ref={input}
        value={title}
        aria-label="Title of the conversation"
        aria-invalid={error ? true : undefined}
        onChange={(event) => {
          setTitle(event.target.value);
          setError(null);
        }}
        onBlur={() => save(true)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter') save(false);
          else if (event.key === 'Escape') {
            event.preventDefault();
            done();
          }
        }}
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
