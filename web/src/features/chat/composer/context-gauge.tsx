import type { Message, Usage } from '@roster/contracts/chat';
import type { Model } from '@roster/contracts/models/models';
import { nearlyFull } from '@roster/contracts/summaries';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { findModel, modelsQuery } from '#web/api/models.ts';
import { messagesQuery } from '#web/features/chat/shared/thread-queries.ts';
import type { ComposerTools } from '#web/features/chat/shared/thread-tools.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { formatCost, formatNumber } from '#web/lib/text/format.ts';
import { formatShare } from '#web/lib/text/share.ts';
import { classNames } from '#web/ui/class-names.ts';
import { Tooltip } from '#web/ui/menus/tooltip.tsx';

const SummarizeOffer = lazyPart(
  async () => (await import('#web/features/chat/summaries/summarize-offer.tsx')).SummarizeOffer,
  { failed: () => null },
);

type ContextGaugeProps = { threadId: number; tools: ComposerTools };
type Answered = { usage: Usage; severalRequests: boolean };

/** Usage of the last answer that has any. Zero tokens mean that the provider did not count. */
function lastUsage(messages: readonly Message[]): Answered | undefined {
  const last = messages.findLast(({ usage }) => usage !== null && usage.inputTokens + usage.outputTokens > 0);
  if (!last?.usage) return undefined;
  const severalRequests = (last.calls?.length ?? 0) > 0 || last.continued === true;
  return { usage: last.usage, severalRequests };
}

/** The model that answers next, and if its assistant summarizes earlier messages before. */
function useNextModel({ assistantId, model }: ComposerTools) {
  // The page has asked for both; asking again here would be another request.
  const assistants = useQuery({ ...assistantsQuery, enabled: false }).data;
  const models = useQuery({ ...modelsQuery, enabled: false }).data;
  const assistant = assistants?.find(({ id }) => id === assistantId);
  const next = findModel(models, assistant?.model ?? model ?? models?.defaultModel ?? '');
  return { model: next, summarizes: assistant?.earlierMessages === 'summarize' };
}

function costInWords({ price }: Model, tokens: number): string {
  if (!price) return 'No price known.';
  return `Sending it costs about ${formatCost((tokens * price.input) / 1_000_000)} per message, before any discount for cached tokens.`;
}

function adviceFor(share: number): string {
  if (share < 0.8) return '';
  const state = share < 1 ? 'It is almost full. Once it is full,' : 'It is full:';
  return ` ${state} the model no longer gets the oldest messages. A model with a larger context gets them.`;
}

/** A summary written since the last answer takes effect with the next one. */
function isSummarized(items: readonly Message[]): boolean {
  const last = items.at(-1)?.finishedAt ?? '';
  return items.length < 2 || items.some(({ summary }) => summary && summary.createdAt > last);
}

const toneOf = (share: number) => {
  if (share >= 1) return 'text-destructive-text';
  return share >= 0.8 ? 'text-warning-text' : 'text-muted-foreground';
};

/** How much of the model's context the conversation takes; nothing while that is unknown. */
export function ContextGauge({ threadId, tools }: ContextGaugeProps) {
  const { data: messages } = useQuery({ ...messagesQuery(threadId), enabled: false });
  const { model, summarizes } = useNextModel(tools);
  const [isOpen, setOpen] = useState(false);
  const detailId = useId();
  // While the view is elsewhere, the last answer is not loaded.
  const answered = messages?.newerCursor === null ? lastUsage(messages.items) : undefined;
  if (!answered || !model?.contextTokens) return null;

  const { usage, severalRequests } = answered;
  const tokens = usage.inputTokens + usage.outputTokens;
  const share = tokens / model.contextTokens;
  // The usage of an answer is the sum of its requests, and each of them sent the conversation.
  const about = severalRequests ? 'at most ' : usage.estimated ? 'about ' : '';
  const name = `Context: ${about}${formatShare(tokens, model.contextTokens)} of ${formatNumber(model.contextTokens)} tokens`;
  const canSummarize = share >= nearlyFull && messages !== undefined && !isSummarized(messages.items);
  return (
    <>
      {canSummarize && (
        <div className="order-first flex basis-full flex-wrap items-center gap-x-3 gap-y-1 px-2 py-1 text-muted-foreground text-sm">
          <span className="min-w-0 flex-1 basis-52">
            The context is almost full.
            {summarizes && ' Earlier messages are summarized before your next one is sent.'}
          </span>
          {!summarizes && <SummarizeOffer threadId={threadId} />}
        </div>
      )}
      {isOpen && (
        <p id={detailId} className="wrap-anywhere order-first basis-full px-2 py-1 text-muted-foreground text-sm">
          {name}. {costInWords(model, tokens)}
          {adviceFor(share)}
        </p>
      )}
      <Tooltip content={name} disabled={isOpen}>
        <button
          type="button"
          aria-label={name}
          aria-expanded={isOpen}
          aria-controls={isOpen ? detailId : undefined}
          onClick={() => setOpen(!isOpen)}
          className={classNames(
            'inline-flex size-9 shrink-0 items-center justify-center rounded-md hover:bg-hover max-md:size-10',
            toneOf(share),
          )}
        >
          <Ring share={Math.min(share, 1)} />
        </button>
      </Tooltip>
    </>
  );
}

function Ring({ share }: { share: number }) {
  const circle = { cx: 8, cy: 8, r: 6, pathLength: 100, fill: 'none', stroke: 'currentColor', strokeWidth: 2.5 };
  return (
    <svg aria-hidden="true" viewBox="0 0 16 16" className="size-4 -rotate-90 rtl:-scale-y-100">
      <circle {...circle} className="opacity-25" />
      <circle {...circle} strokeDasharray={`${share * 100} 100`} />
    </svg>
  );
}
