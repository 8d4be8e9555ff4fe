import type { Thread } from '@roster/contracts/chat';
import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { Pin } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { type AnyBudget, analyticsQuery, budgetSubject } from '#web/api/usage.ts';
import { dayIn, localZone } from '#web/lib/text/day.ts';
import { formatCost, formatCount } from '#web/lib/text/format.ts';
import { formatShare } from '#web/lib/text/share.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { ShareBar } from '#web/ui/charts/share-bar.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';

const rowClass =
  '-mx-2 flex min-h-10 min-w-0 items-center gap-3 rounded-md px-2 transition-colors duration-120 hover:bg-hover';

type OverviewProps = { threads: readonly Thread[]; budgets: readonly AnyBudget[]; jobs: readonly Job[] };

/** Starting points for a returning user: conversations, this month's cost, open jobs. */
export function Overview({ threads, budgets, jobs }: OverviewProps) {
  return (
    <div className="mb-4 grid grid-cols-1 gap-4 lg:grid-cols-3">
      <RecentConversations threads={threads} />
      <div className="flex min-w-0 flex-col gap-4">
        <ThisMonth budget={budgets.find((budget) => budgetSubject(budget) === undefined)} />
        {jobs.length > 0 && <RunningJobs jobs={jobs} />}
      </div>
    </div>
  );
}

type OverviewCardProps = {
  title: string;
  /** Accessible name, instead of the title. */
  label?: string;
  link: LinkProps;
  /** Text of the link to the full list. */
  more: string;
  className?: string;
  children: ReactNode;
};

function OverviewCard({ title, label = title, link, more, className, children }: OverviewCardProps) {
  return (
    <Card aria-label={label} className={classNames('min-w-0', className)}>
      <CardHeader
        title={title}
        action={
          <Link {...link} className="text-primary-text text-sm underline-offset-4 hover:underline">
            {more}
          </Link>
        }
      />
      {children}
    </Card>
  );
}

function RecentConversations({ threads }: { threads: readonly Thread[] }) {
  return (
    <OverviewCard
      title="Recent conversations"
      link={{ to: '/chat' }}
      more="All conversations"
      className="lg:col-span-2"
    >
      <ul className="px-5 pt-2 pb-3">
        {threads.map(({ id, title, pinned, runId, waitsForApproval, updatedAt }) => (
          <li key={id}>
            <Link to="/chat/$threadId" params={{ threadId: String(id) }} className={rowClass}>
              {pinned && <Pin aria-label="Pinned" className="size-3.5 shrink-0 text-muted-foreground" />}
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {title}
              </span>
              {runId === null ? (
                <RelativeTime date={updatedAt} className="shrink-0 text-muted-foreground text-sm" />
              ) : (
                <Badge tone={waitsForApproval ? 'warning' : undefined}>
                  {waitsForApproval ? 'Waiting for you' : 'Answering'}
                </Badge>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </OverviewCard>
  );
}

/** The overall budget if there is one, otherwise this month's cost so far. */
function ThisMonth({ budget }: { budget: AnyBudget | undefined }) {
  const tz = useMemo(localZone, []);
  const today = dayIn(tz, new Date());
  const { data: shown } = useQuery(analyticsQuery({ from: `${today.slice(0, 8)}01`, to: today, tz }));
  const totals = shown?.totals;
  return (
    <OverviewCard title="This month" link={{ to: '/analytics', search: { range: 'this-month' } }} more="All costs">
      <div className="px-5 pt-2 pb-4">
        {totals ? (
          <p className="flex min-h-8 flex-wrap items-baseline gap-x-2 tabular-nums">
            <span className="font-semibold text-xl">{formatCost(totals.costUsd ?? 0)}</span>
            <span className="text-muted-foreground text-sm">estimated, {formatCount(totals.requests, 'request')}</span>
          </p>
        ) : (
          <Skeleton className="h-8 w-36" />
        )}
        {budget && (
          <>
            <ShareBar
              className="mt-2"
              whole={budget.amountUsd}
              parts={[
                {
                  key: 'spent',
                  value: budget.spentUsd,
                  className: budget.state === 'within' ? 'fill-primary' : 'fill-warning',
                },
              ]}
            />
            <p className="mt-2 text-muted-foreground text-sm tabular-nums">
              {formatShare(budget.spentUsd, budget.amountUsd)} of the budget of {formatCost(budget.amountUsd)}
            </p>
          </>
        )}
      </div>
    </OverviewCard>
  );
}

const jobsShown = 3;

/** 'Validating files' */
const statusText = (status: Job['status']) =>
  `${status.charAt(0).toUpperCase()}${status.slice(1).replaceAll('_', ' ')}`;

function RunningJobs({ jobs }: { jobs: readonly Job[] }) {
  return (
    <OverviewCard
      title="Training now"
      label="Running fine-tuning jobs"
      link={{ to: '/fine-tuning' }}
      more={jobs.length > jobsShown ? `All ${jobs.length} jobs` : 'All jobs'}
    >
      <ul className="px-5 pt-2 pb-3">
        {jobs.slice(0, jobsShown).map(({ id, name, status }) => (
          <li key={id}>
            <Link to="/fine-tuning/jobs/$id" params={{ id }} className={rowClass}>
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {name}
              </span>
              <Badge>{statusText(status)}</Badge>
            </Link>
          </li>
        ))}
      </ul>
    </OverviewCard>
  );
}
