import type { OfferedConnection } from '@roster/contracts/connections/connections';
import { formatCost } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { PresetMark } from './preset-mark.tsx';

/** Connections of an administrator, which the user can use and not change. */
export function OfferedList({ offered }: { offered: readonly OfferedConnection[] }) {
  return (
    <section aria-labelledby="offered-connections" className="border-border border-t px-5 pt-4 pb-2">
      <h3 id="offered-connections" className="font-medium">
        Offered by your administrator
      </h3>
      <ul aria-labelledby="offered-connections" className="divide-y divide-border">
        {offered.map((connection) => (
          <OfferedRow key={connection.id} connection={connection} />
        ))}
      </ul>
    </section>
  );
}

function OfferedRow({ connection }: { connection: OfferedConnection }) {
  const { preset, name, isUsedUp } = connection;
  return (
    <li className="flex gap-3 py-3">
      <PresetMark preset={preset} />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <span dir="auto" className="wrap-anywhere">
            {name}
          </span>
          {isUsedUp && <Badge tone="warning">Budget used up</Badge>}
        </p>
        <p className="text-muted-foreground text-sm">{budgetText(connection)}</p>
      </div>
    </li>
  );
}

function budgetText({ monthlyUsd, spentUsd, isUsedUp }: OfferedConnection): string {
  const spent = `You have spent ${formatCost(spentUsd)} this month.`;
  if (monthlyUsd === null) return isUsedUp ? `${spent} The shared budget is used up.` : spent;
  const left = formatCost(Math.max(0, monthlyUsd - spentUsd));
  return isUsedUp && spentUsd < monthlyUsd
    ? `${spent} The shared budget is used up.`
    : `${left} of ${formatCost(monthlyUsd)} left this month.`;
}
