import type { ReactNode } from 'react';
import { Badge } from '#web/ui/badge.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';

export type Fact = readonly [label: string, value: ReactNode];

type FactsProps = {
  title: string;
  /** undefined while loading. */
  facts: readonly Fact[] | undefined;
  /** Why some facts are missing. */
  problems: readonly (string | null | undefined)[];
};

/** Facts about one part of the installation. */
export function Facts({ title, facts, problems }: FactsProps) {
  const shown = problems.filter((problem) => problem !== null && problem !== undefined);
  return (
    <Card aria-label={title} aria-busy={facts === undefined || undefined}>
      <CardHeader title={title} action={shown.length > 0 && <Badge tone="destructive">Problem</Badge>} />
      <CardBody className="flex flex-col gap-3 pt-3">
        {shown.map((problem) => (
          <p key={problem} className="text-destructive-text">
            {problem}
          </p>
        ))}
        {facts === undefined && <Skeleton className="h-16" />}
        {facts && facts.length > 0 && (
          <dl className="grid grid-cols-[minmax(7rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5">
            {facts.map(([label, value]) => (
              <div key={label} className="col-span-2 grid grid-cols-subgrid">
                <dt className="text-muted-foreground">{label}</dt>
                <dd className="wrap-anywhere tabular-nums">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </CardBody>
    </Card>
  );
}
