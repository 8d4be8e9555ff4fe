import type { UsageRequest } from '@roster/contracts/usage/usage';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { formatCost, formatCount, formatNumber } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Tooltip } from '#web/ui/menus/tooltip.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { answeredBy } from './names.ts';

const linkClass = 'rounded-xs underline decoration-border-strong underline-offset-4 hover:decoration-current';

const Gone = ({ children }: { children: string }) => <span className="text-muted-foreground">{children}</span>;

/** Link to the call's context, if it still exists. */
export function Conversation({ request }: { request: UsageRequest }) {
  const { thread, purpose, comparisonId, jobId, accessToken, temporary } = request;
  if (purpose === 'comparison' || purpose === 'evaluation') {
    const isEvaluation = purpose === 'evaluation';
    return comparisonId === null ? (
      <Gone>{isEvaluation ? 'Evaluation, deleted' : 'Comparison, deleted'}</Gone>
    ) : (
      <Link to="/fine-tuning/comparisons/$id" params={{ id: comparisonId }} className={linkClass}>
        {isEvaluation ? 'Evaluation' : 'Open comparison'}
      </Link>
    );
  }
  if (purpose === 'training')
    return jobId === null ? (
      <Gone>Job, deleted</Gone>
    ) : (
      <Link to="/fine-tuning/jobs/$id" params={{ id: jobId }} className={linkClass}>
        Open job
      </Link>
    );
  const kind = kinds[purpose];
  const label = kind && <span className="text-muted-foreground">{kind} · </span>;
  if (!thread)
    return (
      <>
        {label}
        <Gone>{temporary ? 'Temporary chat' : accessToken ? `Program, ${accessToken.name}` : 'Deleted'}</Gone>
      </>
    );
  return (
    <>
      {label}
      <Link to="/chat/$threadId" params={{ threadId: String(thread.id) }} className={linkClass}>
        {thread.title}
      </Link>
    </>
  );
}

/** Requests in a conversation other than full answers. */
const kinds: Partial<Record<UsageRequest['purpose'], string>> = {
  title: 'Titles',
  tool_step: 'Tool step',
  continuation: 'Continuation',
  summary: 'Summary',
};

const estimatedReason = 'Tokens estimated by Roster because the provider did not report them.';

/** Marks a call whose tokens the provider did not report. */
export function EstimatedMark() {
  return (
    <Tooltip content={estimatedReason}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its reason is shown on focus. */}
      <span tabIndex={0} className="rounded-xs">
        <Badge>Estimated by Roster</Badge>
        <span className="sr-only">: {estimatedReason}</span>
      </span>
    </Tooltip>
  );
}

type CostProps = { request: UsageRequest; onSetPrice: (model: string) => void };

export function Cost({ request, onSetPrice }: CostProps): ReactNode {
  if (request.costUsd !== null) return formatCost(request.costUsd);
  if (request.serviceTier !== null)
    return <span className="text-muted-foreground">no price known for the {request.serviceTier} tier</span>;
  // Custom prices apply to answers only.
  if (request.purpose === 'training') return <span className="text-muted-foreground">no price known</span>;
  return (
    <button
      type="button"
      onClick={() => onSetPrice(request.model)}
      aria-label={`No price known: set price of ${modelName(request.model)}`}
      className="whitespace-nowrap rounded-xs text-muted-foreground underline decoration-dotted underline-offset-4 hover:text-foreground"
    >
      no price known
    </button>
  );
}

export function Assistant({ request }: { request: UsageRequest }) {
  const isThere = request.assistant?.name;
  return <span className={isThere ? undefined : 'text-muted-foreground'}>{answeredBy(request)}</span>;
}

/** '1,200 in (400 cached) · 80 out (20 reasoning)' */
export function tokensInWords(request: UsageRequest): string {
  const { purpose, inputTokens, cachedTokens, outputTokens, reasoningTokens } = request;
  if (purpose === 'training') return `${formatCount(inputTokens, 'token')} trained`;
  const cached = cachedTokens > 0 ? ` (${formatNumber(cachedTokens)} cached)` : '';
  const reasoning = reasoningTokens > 0 ? ` (${formatNumber(reasoningTokens)} reasoning)` : '';
  return `${formatNumber(inputTokens)} in${cached} · ${formatNumber(outputTokens)} out${reasoning}`;
}

/** A call as a card, for narrow screens. */
export function RequestCard({ request, onSetPrice }: CostProps) {
  return (
    <li className="py-3">
      <div className="flex items-baseline justify-between gap-4">
        <span className="min-w-0 truncate font-mono text-sm">
          <ModelName model={request.model} />
        </span>
        <span className="shrink-0 font-medium tabular-nums">
          <Cost request={request} onSetPrice={onSetPrice} />
        </span>
      </div>
      <p className="mt-1 text-muted-foreground text-sm tabular-nums">{tokensInWords(request)}</p>
      <p className="wrap-anywhere mt-1 w-fit text-sm">
        <Conversation request={request} />
      </p>
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted-foreground text-sm">
        <Assistant request={request} />
        <RelativeTime date={request.at} />
        {request.estimated && <EstimatedMark />}
      </div>
    </li>
  );
}
