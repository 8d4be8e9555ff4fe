import type { Message } from '@roster/contracts/chat';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { formatDateTime, formatTime } from '#web/lib/format.ts';
import { classNames } from '#web/ui/class-names.ts';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { BranchSwitcher } from './branch-switcher.tsx';
import { MessageFiles } from './message-files.tsx';
import { MessageTools } from './message-tools.tsx';
import { QuestionEditor } from './question-editor.tsx';
import { useThreadActions } from './thread-actions.ts';

/** What a person wrote stays as it was written, line breaks included; only answers are Markdown. */
export function Question({ message, editing }: { message: Message; editing: boolean }) {
  const { edit, blockedReason } = useThreadActions();
  if (editing) return <QuestionEditor message={message} />;
  return (
    <article aria-label="Question" data-hovered className="flex flex-col items-end md:flex-row-reverse md:gap-2">
      <QuestionText message={message} />
      <MessageTools className="shrink-0 justify-end max-md:mt-1 md:mb-1.5 md:flex-nowrap">
        <time dateTime={message.createdAt} title={formatDateTime(message.createdAt)} className="pe-1">
          {formatTime(message.createdAt)}
        </time>
        <BranchSwitcher message={message} />
        <IconButton
          label="Edit question"
          tooltip={blockedReason ?? 'Edit'}
          icon={Pencil}
          size="sm"
          disabled={blockedReason !== undefined}
          onClick={() => edit(message.id)}
          className="max-md:size-10"
        />
        <CopyButton text={message.text} label="Copy question" className="max-md:size-10" />
      </MessageTools>
    </article>
  );
}

const isLong = (text: string) => text.length > 1600 || text.split('\n').length > 22;

function QuestionText({ message: { text, files } }: { message: Message }) {
  const [open, setOpen] = useState(false);
  const folded = isLong(text) && !open;
  return (
    <div className="min-w-0 max-w-[88%] rounded-lg md:max-w-[76%] bg-muted px-4 py-2.5 leading-6 md:text-[15px]">
      <MessageFiles attached={files} />
      <div
        dir="auto"
        className={classNames(
          // Each line has a direction of its own, and nothing is painted outside, such as marks piled up over a letter.
          'overflow-clip whitespace-pre-wrap [overflow-clip-margin:4px] [overflow-wrap:anywhere] [unicode-bidi:plaintext]',
          folded && 'line-clamp-12',
        )}
      >
        {text}
      </div>
      {isLong(text) && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="mt-1 rounded-xs font-medium text-primary-text text-sm hover:underline max-md:min-h-10"
        >
          {open ? 'Show less' : 'Show more'}
        </button>
      )}
    </div>
  );
}
