import { AttachmentChip, kindByName, sizeOf } from '#web/features/chat/attachments/attachment-chip.tsx';
import type { PendingMessage } from '#web/features/chat/shared/message-changes.ts';
import { classNames } from '#web/ui/class-names.ts';
import { isLongQuestion, questionClass, questionLineClass, questionTextClass } from './question-classes.ts';

/** The question being sent, where and how it will appear. */
export function PendingQuestion({ pending: { text, files } }: { pending: PendingMessage }) {
  return (
    <article aria-label="Question" aria-busy="true" className={questionLineClass}>
      <div className={questionClass}>
        {files.length > 0 && (
          <ul aria-label="Attached files" className="mb-2 flex flex-wrap gap-1.5">
            {files.map(({ id, filename, size, kind }) => (
              <li key={id} className="min-w-0 max-w-full">
                <AttachmentChip filename={filename} detail={sizeOf(size)} kind={kind ?? kindByName(filename)} />
              </li>
            ))}
          </ul>
        )}
        <div dir="auto" className={classNames(questionTextClass, isLongQuestion(text) && 'line-clamp-12')}>
          {text}
        </div>
      </div>
      <output className="flex min-h-7 shrink-0 items-center text-muted-foreground text-xs max-md:mt-1 md:mb-1.5">
        Sending…
      </output>
    </article>
  );
}
