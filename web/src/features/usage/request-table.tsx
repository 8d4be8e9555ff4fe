import type { UsageRequest } from '@roster/contracts/usage/usage';
import { modelName } from '#web/api/model-names.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { formatNumber } from '#web/lib/text/format.ts';
import { classNames } from '#web/ui/class-names.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { TableHeader } from '#web/ui/table-header.tsx';
import { Assistant, Conversation, Cost, EstimatedMark, RequestCard } from './request-parts.tsx';

const number = 'text-end tabular-nums';

type RequestTableProps = {
  /** Accessible name. */
  label: string;
  requests: readonly UsageRequest[];
  onSetPrice: (model: string) => void;
};

/** Requests as a table, as cards on narrow screens. */
export function RequestTable(props: RequestTableProps) {
  const { requests, onSetPrice } = props;
  return (
    <>
      <WideTable {...props} />
      <ul className="divide-y divide-border px-5 pt-2 pb-2 md:hidden">
        {requests.map((request) => (
          <RequestCard key={request.id} request={request} onSetPrice={onSetPrice} />
        ))}
      </ul>
    </>
  );
}

function WideTable({ label, requests, onSetPrice }: RequestTableProps) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: where the table is wider than its card, the keyboard scrolls it
      tabIndex={0}
      aria-label={label}
      className="scroll-hint mt-3 overflow-x-auto rounded-b-lg pb-2 [--scroll-surface:var(--card)] max-md:hidden"
    >
      <table className="w-full whitespace-nowrap text-sm">
        <TableHeader
          columns={[
            'Time',
            'Model',
            'Assistant',
            ...['Input', 'Cached', 'Output', 'Reasoning', 'Cost'].map((name) => [name, 'text-end'] as const),
            'Conversation',
          ]}
          className="border-border border-b text-start [&>th:first-child]:ps-5 [&>th:last-child]:pe-5 [&>th]:px-3"
        />
        <tbody className="divide-y divide-border [&_td:first-child]:ps-5 [&_td:last-child]:pe-5 [&_td]:h-11 [&_td]:px-3">
          {requests.map((request) => (
            <tr key={request.id}>
              <td className="text-muted-foreground">
                <RelativeTime date={request.at} />
              </td>
              <td>
                <span className="flex items-center gap-2">
                  <span className="max-w-48 truncate font-mono" title={modelName(request.model)}>
                    <ModelName model={request.model} />
                  </span>
                  {request.estimated && <EstimatedMark />}
                </span>
              </td>
              <td className="max-w-36 truncate">
                <Assistant request={request} />
              </td>
              <td className={number}>{formatNumber(request.inputTokens)}</td>
              <td className={number}>{formatNumber(request.cachedTokens)}</td>
              <td className={number}>{formatNumber(request.outputTokens)}</td>
              <td className={number}>{formatNumber(request.reasoningTokens)}</td>
              <td className={classNames(number, 'font-medium')}>
                <Cost request={request} onSetPrice={onSetPrice} />
              </td>
              <td className="max-w-56 truncate">
                <Conversation request={request} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
