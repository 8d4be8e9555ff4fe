import { expectedLimit } from '@roster/contracts/comparisons/test-sets';
import { X } from 'lucide-react';
import { useState } from 'react';
import { formatCount } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import type { DraftQuestion } from './draft-question.ts';

type RowProps = {
  number: number;
  question: DraftQuestion;
  isInvalid: boolean;
  onChange: (question: DraftQuestion) => void;
  onRemove: () => void;
};

/** A question with its expected answer, which is collapsed at first. */
export function QuestionRow({ number, question, isInvalid, onChange, onRemove }: RowProps) {
  const { from, text, earlier, expected } = question;
  const [isOpen, setOpen] = useState(false);
  const isOwn = from === 'typed' || from === 'kept';
  const label = `Question ${number}`;
  return (
    <li className="flex items-start gap-2">
      <span aria-hidden="true" className="w-6 shrink-0 pt-2 text-end text-muted-foreground text-sm tabular-nums">
        {number}
      </span>
      <div className="min-w-0 flex-1">
        {isOwn ? (
          <Textarea
            rows={2}
            aria-label={label}
            aria-invalid={isInvalid || undefined}
            value={text}
            onChange={(event) => onChange({ ...question, text: event.target.value })}
          />
        ) : (
          <p dir="auto" className="wrap-anywhere line-clamp-3 rounded-md border border-border px-3 py-2">
            {text}
          </p>
        )}
        <div className="mt-1 flex flex-wrap items-center gap-x-3 text-muted-foreground text-sm">
          {earlier > 0 && <span>{`After ${formatCount(earlier, 'earlier message')}`}</span>}
          {from === 'conversation' && <span>From a conversation</span>}
          {from === 'dataset' && <span>From a dataset, with its answer as the expected one</span>}
          {isOwn && !isOpen && (
            <Button
              size="sm"
              variant="ghost"
              aria-label={`${expected === '' ? 'Add expected answer to' : 'Expected answer of'} question ${number}`}
              className="-ms-2 max-md:h-10"
              onClick={() => setOpen(true)}
            >
              {expected === '' ? 'Add expected answer' : 'Expected answer'}
            </Button>
          )}
        </div>
        {isOwn && isOpen && (
          <Textarea
            rows={2}
            aria-label={`Expected answer of question ${number}`}
            placeholder="What a good answer says. A judge reads it."
            maxLength={expectedLimit}
            value={expected}
            className="mt-1"
            onChange={(event) => onChange({ ...question, expected: event.target.value })}
          />
        )}
      </div>
      <IconButton label={`Remove question ${number}`} icon={X} onClick={onRemove} className="max-md:size-10" />
    </li>
  );
}
