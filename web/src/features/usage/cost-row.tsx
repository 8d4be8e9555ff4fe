import type { ReactNode } from 'react';
import { classNames } from '#web/ui/class-names.ts';

type CostRowProps = { name: ReactNode; isPriced: boolean; cost: string; detail: string };

export function CostRow({ name, isPriced, cost, detail }: CostRowProps) {
  return (
    <li className="py-3">
      <div className="flex items-baseline justify-between gap-4">
        {name}
        <span className={classNames('shrink-0 tabular-nums', isPriced ? 'font-medium' : 'text-muted-foreground')}>
          {cost}
        </span>
      </div>
      <p className="mt-1 text-muted-foreground text-sm tabular-nums">{detail}</p>
    </li>
  );
}
