import type { Message } from '@roster/contracts/chat';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { ImageLinks, MessageFiles } from '#web/features/chat/attachments/message-files.tsx';
import { useThreadActions } from '#web/features/chat/shared/thread-actions.ts';
import { formatDateTime, formatTime } from '#web/lib/text/format.ts';
import { classNames } from '#web/ui/class-names.ts';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { BranchSwitcher } from './branch-switcher.tsx';
import { MessageTools } from './message-tools.tsx';
import { isLongQuestion, questionClass, questionLineClass, questionTextClass } from './question-classes.ts';
import { QuestionEditor } from './question-editor.tsx';

/** User text is shown as written, with line breaks; only answers are Markdown. */
export function Question({ message, editing }: { message: Message; editing: boolean }) {
  const { edit, blockedReason } = useThreadActions();
  if (editing) return <QuestionEditor message={message} />;
  return (
    <article aria-label="Question" data-hovered className={questionLineClass}>
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

function QuestionText({ message: { text, files, imageUrls } }: { message: Message }) {
  const [open, setOpen] = useState(false);
  const folded = isLongQuestion(text) && !open;
  return (
    <div data-folded={folded || undefined} className={questionClass}>
      <MessageFiles attached={files} />
      <ImageLinks urls={imageUrls} />
      <div dir="auto" data-searched className={classNames(questionTextClass, folded && 'line-clamp-12')}>
        {text}
      </div>
      {isLongQuestion(text) && (
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
