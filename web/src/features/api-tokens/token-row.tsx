import type { AccessToken } from '@roster/contracts/api-tokens';
import { formatCost, formatDateTime, formatLongDate } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { hasExpired, isBudgetUsedUp } from './limits.ts';
import { permissionNames } from './permissions.ts';

export function TokenRow({ token, onRevoke }: { token: AccessToken; onRevoke: () => void }) {
  const { name, last4, rights, createdAt, lastUsedAt, lastUsedIp, monthlyBudgetUsd, spentUsd } = token;
  return (
    <li className="flex items-start gap-4 py-4">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <span dir="auto" className="wrap-anywhere">
            {name}
          </span>
          <span dir="ltr" className="font-mono font-normal text-muted-foreground text-sm">
            …{last4}
          </span>
          {hasExpired(token) && <Badge tone="warning">Expired</Badge>}
          {isBudgetUsedUp(token) && <Badge tone="warning">Budget used up</Badge>}
          {rights.map((right) => (
            <Badge key={right}>{permissionNames[right]}</Badge>
          ))}
          {rights.length === 0 && <Badge tone="warning">No permissions</Badge>}
        </p>
        <p className="mt-1 flex flex-wrap gap-x-4 text-muted-foreground text-sm">
          <span>
            Created{' '}
            <time dateTime={createdAt} title={formatDateTime(createdAt)}>
              {formatLongDate(createdAt)}
            </time>
          </span>
          <span>
            {lastUsedAt ? (
              <>
                Last used <RelativeTime date={lastUsedAt} />
                {lastUsedIp && (
                  <>
                    {' from '}
                    <span className="tabular-nums">{lastUsedIp}</span>
                  </>
                )}
              </>
            ) : (
              'Never used'
            )}
          </span>
          <Expiry token={token} />
          {monthlyBudgetUsd !== null && (
            <span dir="auto" className="tabular-nums">
              {formatCost(spentUsd)} of {formatCost(monthlyBudgetUsd)} this month
            </span>
          )}
        </p>
      </div>
      <Button size="sm" className="max-md:h-10" onClick={onRevoke} aria-label={`Revoke ${name}`}>
        Revoke
      </Button>
    </li>
  );
}

function Expiry({ token }: { token: AccessToken }) {
  const { expiresAt } = token;
  if (expiresAt === null) return <span>Does not expire</span>;
  return (
    <span>
      {hasExpired(token) ? 'Expired' : 'Expires'}{' '}
      <time dateTime={expiresAt} title={formatDateTime(expiresAt)}>
        {formatLongDate(expiresAt)}
      </time>
    </span>
  );
}
