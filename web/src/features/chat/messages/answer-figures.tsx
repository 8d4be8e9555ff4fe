import type { Message, Usage } from '@roster/contracts/chat';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ModelName } from '#web/components/model-name.tsx';
import { formatCost, formatDateTime, formatNumber, formatTime } from '#web/lib/text/format.ts';
import { Tooltip } from '#web/ui/menus/tooltip.tsx';

function Figure({ tooltip, children }: { tooltip: string; children: ReactNode }) {
  return (
    <Tooltip content={tooltip}>
      <button type="button" dir="auto" className="min-h-6 cursor-default rounded-xs tabular-nums hover:text-foreground">
        {children}
      </button>
    </Tooltip>
  );
}

const counted = (usage: Usage) =>
  usage.estimated ? 'Tokens estimated by Roster because the provider did not report them. ' : '';

function tokensInWords(usage: Usage): string {
  const cached = usage.cachedTokens > 0 ? ` (${formatNumber(usage.cachedTokens)} cached)` : '';
  const reasoning = usage.reasoningTokens > 0 ? ` (${formatNumber(usage.reasoningTokens)} reasoning)` : '';
  return `${counted(usage)}${formatNumber(usage.inputTokens)} in${cached}, ${formatNumber(usage.outputTokens)} out${reasoning}`;
}

function costInWords(usage: Usage): string {
  if (usage.costUsd === null) return 'No price is known for this model, so the cost is unknown.';
  return usage.estimated
    ? 'Estimate: Roster’s token estimate times the list price.'
    : 'Estimate: the provider’s token count times the list price.';
}

/** Model, tokens and cost of an answer. */
export function AnswerFigures({ message }: { message: Message }) {
  const { usage, model, answeredBy } = message;
  const time = message.finishedAt ?? message.createdAt;
  const about = usage?.estimated ? '≈ ' : '';
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 ps-1.5">
      {model && (
        <span className="font-mono">
          <ModelName model={model} />
        </span>
      )}
      {usage && (
        <Figure tooltip={tokensInWords(usage)}>
          {about}
          {formatNumber(usage.inputTokens + usage.outputTokens)} tokens
        </Figure>
      )}
      {usage && (
        <Figure tooltip={costInWords(usage)}>
          {usage.costUsd === null ? 'no price known' : `${about}${formatCost(usage.costUsd)}`}
        </Figure>
      )}
      {answeredBy && (
        <Tooltip content={`Answered by version ${answeredBy.version} of the assistant`}>
          <Link
            to="/settings"
            search={{ tab: 'assistants', edit: answeredBy.assistantId, version: answeredBy.version }}
            className="inline-flex min-h-6 items-center rounded-xs tabular-nums underline-offset-2 hover:text-foreground hover:underline"
          >
            version {answeredBy.version}
          </Link>
        </Tooltip>
      )}
      <time dateTime={time} title={formatDateTime(time)}>
        {formatTime(time)}
      </time>
    </span>
  );
}
