import type { Analytics } from '@roster/contracts/usage/usage';
import { Link } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import { formatNumber } from '#web/lib/text/format.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { RequestTable } from './request-table.tsx';

type RecentRequestsProps = {
  shown: Analytics | undefined;
  onShowAll: () => void;
  onSetPrice: (model: string) => void;
  className?: string | undefined;
};

export function RecentRequests({ shown, onShowAll, onSetPrice, className }: RecentRequestsProps) {
  const requests = shown?.recent;
  const all = shown?.totals.requests ?? 0;
  return (
    <Card aria-label="Recent Requests" className={classNames('min-w-0', className)}>
      <CardHeader
        title="Recent Requests"
        description="The latest requests made with your key in this period."
        action={
          all > (requests?.length ?? 0) && (
            <Button size="sm" onClick={onShowAll}>
              Show all {formatNumber(all)}
            </Button>
          )
        }
      />
      {requests === undefined ? (
        <div className="space-y-3 p-5">
          {[0, 1, 2, 3, 4, 5].map((row) => (
            <Skeleton key={row} className="h-8 w-full" />
          ))}
        </div>
      ) : requests.length === 0 ? (
        <EmptyState
          bare
          icon={MessageSquare}
          text="No requests in this period."
          action={
            <Link to="/chat" className={buttonClass()}>
              Start a chat
            </Link>
          }
        />
      ) : (
        <RequestTable label="Table of recent requests" requests={requests} onSetPrice={onSetPrice} />
      )}
    </Card>
  );
}
