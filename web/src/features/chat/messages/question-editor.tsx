import type { Message } from '@roster/contracts/chat';
import { isBlank } from '@roster/contracts/text/blank';
import { X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { AttachmentChip, kindByName, sizeOf } from '#web/features/chat/attachments/attachment-chip.tsx';
import { useAttachmentPreview } from '#web/features/chat/attachments/attachment-preview.tsx';
import { useMessageLength } from '#web/features/chat/composer/use-message-length.ts';
import type { StoredFile } from '#web/features/chat/shared/attachments.ts';
import { useThreadActions } from '#web/features/chat/shared/thread-actions.ts';
import { isImeKey, isSubmitKey } from '#web/lib/keyboard/enter-key.ts';
import { Button } from '#web/ui/button.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';

/** The edited question; starts from an unsent edit, if there is one. */
function useEdited(message: Message) {
  const { sendEdited, unsentEdit, blockedReason } = useThreadActions();
  const [unsent] = useState(() => unsentEdit(message.id));
  const [text, setText] = useState(unsent?.text ?? message.text);
  const [files, setFiles] = useState<readonly StoredFile[]>(
    () => unsent?.files ?? message.files.flatMap(({ id, ...file }) => (id === null ? [] : [{ id, ...file }])),
  );
  const [problem, setProblem] = useState<string | null>(null);
  const { counter, tooLong, problem: lengthProblem } = useMessageLength(text);
  const change = (typed: string) => {
    setText(typed);
    setProblem(null);
  };
  const saveQuestion = () => {
    if (blockedReason) return;
    if (tooLong) return;
    // Same text as the server's, without a request.
    if (isBlank(text)) return setProblem('Message is required');
    sendEdited({ messageId: message.id, parentId: message.parentId, text, files });
  };
  return { text, change, files, setFiles, counter, tooLong, problem: problem ?? lengthProblem, saveQuestion };
}

/** Editor of a question. The old question and its answers stay as a branch. */
export function QuestionEditor({ message }: { message: Message }) {
  const { stopEditing, blockedReason } = useThreadActions();
  const { text, change, files, setFiles, counter, tooLong, problem, saveQuestion } = useEdited(message);
  const box = useRef<HTMLTextAreaElement>(null);
  const noteId = useId();
  useEffect(() => {
    const field = box.current;
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(field.value.length, field.value.length);
  }, []);
  const keyDown = (event: KeyboardEvent) => {
    if (isImeKey(event.nativeEvent)) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      stopEditing();
    } else if (isSubmitKey(event.nativeEvent)) {
      event.preventDefault();
      saveQuestion();
    }
  };
  return (
    <div className="rounded-lg border border-border bg-card p-2.5">
      {files.length > 0 && <KeptFiles files={files} onChange={setFiles} />}
      <Textarea
        ref={box}
        value={text}
        rows={2}
        onChange={(event) => change(event.target.value)}
        onKeyDown={keyDown}
        enterKeyHint="enter"
        aria-label="Edit question"
        aria-invalid={problem || tooLong ? true : undefined}
        aria-describedby={noteId}
        className="field-sizing-content max-h-[40dvh] min-h-18"
      />
      <div className="mt-2 flex flex-wrap items-center justify-end gap-2">
        <EditNote id={noteId} problem={problem} counter={counter} />
        <Button size="sm" variant="ghost" onClick={stopEditing} className="max-md:h-10">
          Cancel
        </Button>
        <Button
          size="sm"
          variant="primary"
          disabledReason={blockedReason}
          onClick={saveQuestion}
          className="max-md:h-10"
        >
          Save & send
        </Button>
      </div>
    </div>
  );
}

type KeptFilesProps = { files: readonly StoredFile[]; onChange: (files: readonly StoredFile[]) => void };

/** The question's files, which can be removed individually. */
function KeptFiles({ files, onChange }: KeptFilesProps) {
  const look = useAttachmentPreview();
  return (
    <ul aria-label="Attached files" className="mb-2 flex flex-wrap gap-1.5">
      {files.map((file) => (
        <li key={file.id} className="min-w-0 max-w-full">
          <AttachmentChip
            filename={file.filename}
            detail={sizeOf(file.size)}
            kind={file.kind ?? kindByName(file.filename)}
            onLook={() => look(file)}
          >
            <IconButton
              label={`Remove ${file.filename}`}
              icon={X}
              size="sm"
              onClick={() => onChange(files.filter(({ id }) => id !== file.id))}
              className="max-md:size-10"
            />
          </AttachmentChip>
        </li>
      ))}
    </ul>
  );
}

function EditNote({ id, problem, counter }: { id: string; problem: string | null; counter: string | null }) {
  return (
    <p id={id} className="me-auto min-w-0 text-sm max-md:basis-full">
      {problem ? (
        <span role="alert" className="text-destructive-text">
          {problem}
        </span>
      ) : (
        <span className="text-muted-foreground">The old version stays beside it.</span>
      )}
      {counter && <span className="ms-2 text-muted-foreground tabular-nums">{counter}</span>}
    </p>
  );
}
