import { type Message, type Summary, summaryLimit } from '@roster/contracts/chat';
import { summaries } from '@roster/contracts/summaries';
import { isBlank } from '@roster/contracts/text/blank';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { Pencil } from 'lucide-react';
import { useEffect, useState } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { refreshMessages } from '#web/features/chat/shared/thread-cache.ts';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCost, formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { Spinner } from '#web/ui/states/spinner.tsx';

const pollIntervalMs = 1500;

function useSummaryChange(client: QueryClient, threadId: number, id: number) {
  const refresh = () => refreshMessages(client, threadId);
  const save = useMutation({
    networkMode: 'always',
    mutationFn: (text: string) => call(summaries.change, { params: { id }, body: { text } }),
    onSuccess: refresh,
    onError: showFailure('Failed to save the summary'),
  });
  const remove = useMutation({
    networkMode: 'always',
    mutationFn: () => call(summaries.remove, { params: { id } }),
    onSuccess: refresh,
    onError: showFailure('Failed to remove the summary'),
  });
  return { save, remove };
}

function figuresOf({ model, inputTokens, outputTokens, costUsd, edited }: Summary): string {
  const cost = costUsd === null ? 'no price known' : formatCost(costUsd);
  const tokens = `${formatNumber(inputTokens + outputTokens)} tokens`;
  return [modelName(model), tokens, cost, ...(edited ? ['edited'] : [])].join(' · ');
}

type SummaryCardProps = { message: Message; summary: Summary };

/** A summary below the last of the messages that it covers. */
export function SummaryCard({ message: { id, threadId }, summary }: SummaryCardProps) {
  const client = useQueryClient();
  const { save, remove } = useSummaryChange(client, threadId, id);
  const [isEditing, setEditing] = useState(false);
  const isWriting = summary.state === 'writing';
  useEffect(() => {
    if (!isWriting) return;
    const timer = setInterval(() => void refreshMessages(client, threadId), pollIntervalMs);
    return () => clearInterval(timer);
  }, [client, threadId, isWriting]);

  return (
    <section aria-label="Summary of earlier messages" className="mt-4 rounded-lg border border-border bg-muted p-3">
      <output className="flex items-center gap-2 text-muted-foreground text-sm">
        {isWriting && <Spinner />}
        {stateOf(summary)}
      </output>
      {isEditing ? (
        <SummaryEditor
          text={summary.text}
          busy={save.isPending}
          onSave={(text) => save.mutate(text, { onSuccess: () => setEditing(false) })}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <>
          {summary.state === 'complete' && (
            <details className="mt-1">
              <summary className="cursor-pointer py-1 text-sm">Read the summary</summary>
              <p dir="auto" className="wrap-anywhere mt-1 whitespace-pre-line">
                {summary.text}
              </p>
              <p className="wrap-anywhere mt-2 text-muted-foreground text-xs">{figuresOf(summary)}</p>
            </details>
          )}
          <div className="mt-2 flex flex-wrap gap-2">
            {summary.state === 'complete' && (
              <Button size="sm" icon={Pencil} className="max-md:h-10" onClick={() => setEditing(true)}>
                Edit summary
              </Button>
            )}
            <Button
              size="sm"
              variant="ghost"
              className="max-md:h-10"
              busy={remove.isPending}
              onClick={() => remove.mutate()}
            >
              {summary.state === 'complete' ? 'Remove summary' : summary.state === 'writing' ? 'Cancel' : 'Dismiss'}
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

function stateOf({ state, error }: Summary): string {
  if (state === 'writing') return 'Summarizing the messages above…';
  if (state === 'failed') return `Failed to summarize the messages above. ${error ?? ''}`.trim();
  return 'From here on, models get a summary instead of the messages above.';
}

type SummaryEditorProps = { text: string; busy: boolean; onSave: (text: string) => void; onCancel: () => void };

function SummaryEditor({ text: before, busy, onSave, onCancel }: SummaryEditorProps) {
  const [text, setText] = useState(before);
  const isTooLong = text.length > summaryLimit;
  const problem = isBlank(text)
    ? 'The summary is empty'
    : isTooLong
      ? 'A summary cannot exceed 20000 characters'
      : undefined;
  return (
    <div className="mt-2">
      <Textarea
        value={text}
        onChange={(event) => setText(event.target.value)}
        aria-label="Edit summary"
        aria-invalid={problem !== undefined || undefined}
        className="field-sizing-content max-h-[40dvh] min-h-24"
      />
      <div className="mt-2 flex flex-wrap justify-end gap-2">
        <Button size="sm" variant="ghost" className="max-md:h-10" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          size="sm"
          variant="primary"
          className="max-md:h-10"
          busy={busy}
          disabledReason={problem}
          onClick={() => onSave(text)}
        >
          Save
        </Button>
      </div>
    </div>
  );
}
