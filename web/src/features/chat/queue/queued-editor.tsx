import type { QueuedMessage } from '@roster/contracts/message-queue';
import { isBlank } from '@roster/contracts/text/blank';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useMessageLength } from '#web/features/chat/composer/use-message-length.ts';
import { isImeKey, isSubmitKey } from '#web/lib/keyboard/enter-key.ts';
import { Button } from '#web/ui/button.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';

type QueuedEditorProps = { message: QueuedMessage; onSave: (text: string) => void; onCancel: () => void };

export function QueuedEditor({ message, onSave, onCancel }: QueuedEditorProps) {
  const [text, setText] = useState(message.text);
  const [isEmpty, setEmpty] = useState(false);
  const { tooLong, problem } = useMessageLength(text);
  const box = useRef<HTMLTextAreaElement>(null);
  const noteId = useId();
  useEffect(() => {
    const field = box.current;
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  }, []);
  const save = () => {
    if (isBlank(text)) return setEmpty(true);
    if (!tooLong) onSave(text);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (isImeKey(event.nativeEvent)) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      onCancel();
    } else if (isSubmitKey(event.nativeEvent)) {
      event.preventDefault();
      save();
    }
  };
  const note = isEmpty ? 'Message is required' : problem;
  return (
    <div className="py-1">
      <Textarea
        ref={box}
        value={text}
        rows={2}
        onChange={(event) => {
          setText(event.target.value);
          setEmpty(false);
        }}
        onKeyDown={keyDown}
        enterKeyHint="enter"
        aria-label="Edit queued message"
        aria-invalid={note ? true : undefined}
        aria-describedby={noteId}
        className="field-sizing-content max-h-[20dvh] min-h-14"
      />
      <div className="mt-2 flex flex-wrap items-center justify-end gap-2">
        <p id={noteId} role={note ? 'alert' : undefined} className="me-auto text-destructive-text text-sm">
          {note}
        </p>
        <Button size="sm" variant="ghost" onClick={onCancel} className="max-md:h-10">
          Cancel
        </Button>
        <Button size="sm" variant="primary" onClick={save} className="max-md:h-10">
          Save
        </Button>
      </div>
    </div>
  );
}
