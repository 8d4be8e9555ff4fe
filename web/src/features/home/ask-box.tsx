import { isBlank } from '@roster/contracts/text/blank';
import { useNavigate } from '@tanstack/react-router';
import { ArrowUp } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { pendingQuestion, requestSend, storePendingQuestion } from '#web/api/pending-question.ts';
import { isSubmitKey } from '#web/lib/keyboard/enter-key.ts';
import { IconButton } from '#web/ui/icon-button.tsx';

/** First question of a new conversation; sent there, to the last chat target or the default assistant. */
export function AskBox() {
  const [text, setText] = useState(pendingQuestion);
  const navigate = useNavigate();
  const ask = () => {
    if (isBlank(text)) return;
    requestSend();
    void navigate({ to: '/chat' });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask();
  };
  const keyDown = (event: KeyboardEvent) => {
    if (!isSubmitKey(event.nativeEvent)) return;
    event.preventDefault();
    ask();
  };
  return (
    <form
      data-sends
      onSubmit={submit}
      className="mb-6 flex items-end gap-2 rounded-lg border border-border-strong bg-card p-1.5 transition-colors duration-120 focus-within:border-ring"
    >
      <textarea
        dir="auto"
        rows={2}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          storePendingQuestion(event.target.value);
        }}
        onKeyDown={keyDown}
        enterKeyHint="enter"
        placeholder="What would you like to talk about?"
        aria-label="Message"
        className="field-sizing-content max-h-[40dvh] min-h-14 min-w-0 flex-1 resize-none overflow-y-auto bg-transparent px-3 py-2 text-lg leading-5 outline-none placeholder:truncate md:text-base"
      />
      <IconButton
        type="submit"
        label="Send message"
        tooltip="Send (Enter)"
        icon={ArrowUp}
        variant="primary"
        disabled={isBlank(text)}
        className="max-md:size-10"
      />
    </form>
  );
}
