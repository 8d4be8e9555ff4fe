import type { Analytics, Figures } from '@roster/contracts/usage/usage';
import { useQuery } from '@tanstack/react-query';
import { Bot, Folder, KeyRound, Layers } from 'lucide-react';
import type { ReactNode } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { projectCostsQuery } from '#web/api/usage.ts';
import { useConnectionNames } from '#web/api/use-model-name.ts';
import { formatCost, formatCount, formatNumber } from '#web/lib/text/format.ts';
import { formatShare } from '#web/lib/text/share.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { ShareBar } from '#web/ui/charts/share-bar.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { assistantName } from './names.ts';
import type { DayRange } from './shared/range.ts';

type Row = {
  key: string;
  name: string;
  isCode?: boolean;
  /** Value to rank by; null if unknown. */
  value: number | null;
  valueText: string;
  detail: string;
  action?: ReactNode;
  onOpen: () => void;
};

/** Rows with bars, largest first; each links to its requests. */
function Ranking({ rows, whole }: { rows: readonly Row[]; whole: number }) {
  return (
    <ul className="relative max-h-136 divide-y divide-border overflow-y-auto px-5 pb-2">
      {rows.map(({ key, name, isCode, value, valueText, detail, action, onOpen }) => (
        <li key={key} className="py-3">
          <div className="flex items-baseline justify-between gap-4">
            <button
              type="button"
              onClick={onOpen}
              aria-label={`${name}: show requests`}
              className={classNames(
                'relative min-w-0 truncate rounded-xs text-start max-md:-my-2 max-md:py-2 font-medium underline-offset-4 hover:underline',
                isCode && 'font-mono text-sm',
              )}
            >
              {name}
            </button>
            <span
              className={classNames('shrink-0 tabular-nums', value === null ? 'text-muted-foreground' : 'font-medium')}
            >
              {valueText}
            </span>
          </div>
          <ShareBar
            className="mt-2"
            whole={whole}
            parts={[{ key: 'share', value: value ?? 0, className: 'fill-primary' }]}
          />
          <div className="mt-2 flex min-h-5 items-start justify-between gap-x-4 text-muted-foreground text-sm tabular-nums">
            <span className="min-w-0">{detail}</span>
            <span className="flex shrink-0 items-center gap-3">
              {value !== null && formatShare(value, whole)}
              {action}
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

type RankingCardProps = {
  title: string;
  description: string;
  rows: readonly Row[] | undefined;
  whole: number;
  empty: { icon: typeof Bot; text: string };
  action?: ReactNode;
  className?: string | undefined;
};

function RankingCard({ title, description, rows, whole, empty, action, className }: RankingCardProps) {
  return (
    <Card aria-label={title} className={classNames('flex min-w-0 flex-col', className)}>
      <div className="mb-2">
        <CardHeader title={title} description={description} action={action} />
      </div>
      {rows === undefined ? (
        <LoadingRanking />
      ) : rows.length === 0 ? (
        <EmptyState bare icon={empty.icon} text={empty.text} className="flex-1 justify-center" />
      ) : (
        <Ranking rows={rows} whole={whole} />
      )}
    </Card>
  );
}

function LoadingRanking() {
  return (
    <div className="divide-y divide-border px-5 pb-2">
      {[0, 1, 2].map((row) => (
        <div key={row} className="py-3">
          <div className="flex justify-between gap-4">
            <Skeleton className="h-5 w-36" />
            <Skeleton className="h-5 w-14" />
          </div>
          <Skeleton className="mt-2 h-1.5 w-full" />
          <Skeleton className="mt-2 h-5 w-48 max-w-full" />
        </div>
      ))}
    </div>
  );
}

const tokens = (figures: Figures) => figures.inputTokens + figures.outputTokens;
const amounts = (figures: Figures) => {
  const without =
    figures.unpricedRequests > 0 && figures.costUsd !== null
      ? ` · ${formatNumber(figures.unpricedRequests)} with no known price`
      : '';
  const counted =
    figures.estimatedRequests > 0 ? ` · ${formatNumber(figures.estimatedRequests)} estimated by Roster` : '';
  return `${formatCount(figures.requests, 'request')} · ${formatCount(tokens(figures), 'token')}${without}${counted}`;
};
/** Details missing from Model Distribution: cost per request and how reliable it is. */
const each = ({ requests, unpricedRequests, estimatedRequests, costUsd, family }: Analytics['byModel'][number]) => {
  const priced = requests - unpricedRequests;
  const parts = [
    costUsd !== null && priced > 0 && `${formatCost(costUsd / priced)} a request`,
    family !== null && `priced as ${family}`,
    unpricedRequests > 0 && `${formatCount(unpricedRequests, 'request')} with no known price`,
    estimatedRequests > 0 && `${formatNumber(estimatedRequests)} estimated by Roster`,
  ];
  return parts.filter((part) => part !== false).join(' · ');
};
const cost = ({ costUsd }: Figures) => (costUsd === null ? 'no price known' : formatCost(costUsd));

const nothing = 'No requests in this period.';

type ModelProps = {
  shown: Analytics | undefined;
  onOpen: (model: string) => void;
  className?: string | undefined;
};

export function CostByModel(props: ModelProps & { onSetPrice: (model: string) => void; onListPrices: () => void }) {
  const { shown, onOpen, onSetPrice, onListPrices, className } = props;
  useConnectionNames(...(shown?.byModel ?? []).map(({ model }) => model));
  return (
    <RankingCard
      title="Cost by Model"
      description="Most expensive first."
      className={className}
      whole={shown?.totals.costUsd ?? 0}
      empty={{ icon: Layers, text: nothing }}
      action={
        <Button size="sm" variant="ghost" onClick={onListPrices} className="-mt-1.5 -me-2">
          Custom prices
        </Button>
      }
      rows={shown?.byModel.map((row) => ({
        key: row.model,
        name: modelName(row.model),
        isCode: true,
        value: row.costUsd,
        valueText: cost(row),
        detail: each(row),
        onOpen: () => onOpen(row.model),
        action:
          row.unpricedRequests > 0 || row.family !== null ? (
            <Button
              size="sm"
              className="max-md:h-10"
              onClick={() => onSetPrice(row.model)}
              aria-label={`Set price of ${modelName(row.model)}`}
            >
              Set price
            </Button>
          ) : undefined,
      }))}
    />
  );
}

type AssistantProps = {
  shown: Analytics | undefined;
  onOpen: (assistant: { id: number; name: string | null } | null) => void;
  className?: string | undefined;
};

export function CostByAssistant({ shown, onOpen, className }: AssistantProps) {
  return (
    <RankingCard
      title="Cost by Assistant"
      description="Cost of conversations with each assistant."
      className={className}
      whole={shown?.totals.costUsd ?? 0}
      empty={{ icon: Bot, text: nothing }}
      rows={shown?.byAssistant.map((row) => ({
        key: String(row.assistant?.id ?? 'none'),
        name: assistantName(row.assistant),
        value: row.costUsd,
        valueText: cost(row),
        detail: amounts(row),
        onOpen: () => onOpen(row.assistant),
      }))}
    />
  );
}

type ProjectProps = {
  shown: Analytics | undefined;
  range: DayRange;
  tz: string;
  onOpen: (project: { id: number; name: string }) => void;
  className?: string | undefined;
};

/** Nothing if no conversation in a project has made requests, as for most users. */
export function CostByProject({ shown, range, tz, onOpen, className }: ProjectProps) {
  const items = useQuery(projectCostsQuery({ ...range, tz })).data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <RankingCard
      title="Cost by Project"
      description="Cost of the conversations that are in each project now."
      className={className}
      whole={shown?.totals.costUsd ?? 0}
      empty={{ icon: Folder, text: nothing }}
      rows={items.map(({ project, ...row }) => ({
        key: String(project.id),
        name: project.name,
        value: row.costUsd,
        valueText: cost(row),
        detail: amounts(row),
        onOpen: () => onOpen(project),
      }))}
    />
  );
}

type AccessTokenProps = {
  shown: Analytics | undefined;
  onOpen: (accessToken: { id: number; name: string }) => void;
  className?: string | undefined;
};

/** Nothing if no API client has made requests, as for most users. */
export function CostByAccessToken({ shown, onOpen, className }: AccessTokenProps) {
  if (!shown?.byAccessToken.length) return null;
  return (
    <RankingCard
      title="Cost by Access Token"
      description="Cost of requests made with each access token."
      className={className}
      whole={shown.totals.costUsd ?? 0}
      empty={{ icon: KeyRound, text: nothing }}
      rows={shown.byAccessToken.map(({ accessToken, ...row }) => ({
        key: String(accessToken.id),
        name: accessToken.name,
        value: row.costUsd,
        valueText: cost(row),
        detail: `${amounts(row)}${accessToken.isRevoked ? ' · revoked' : ''}`,
        onOpen: () => onOpen(accessToken),
      }))}
    />
  );
}
