import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { WholeComparison } from '#web/features/comparisons/shared/queries.ts';
import { SaveResults } from '#web/features/comparisons/shared/save-results.tsx';
import { sideNames } from '#web/features/comparisons/shared/sides.ts';
import { errorText } from '#web/lib/api-client.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { type Column, Table } from '#web/ui/table.tsx';
import { byNames, countsText, progressText, resultNames, resultTones } from './labels.ts';
import { resultsQuery } from './queries.ts';
import { ResultCounts } from './result-counts.tsx';
import { ResultLegend } from './result-legend.tsx';
import { type ResultRow, type RunResults, resultRows, resultsCsv, resultsJson } from './results.ts';

/** The start of an answer; the full text is below. */
const Words = ({ text }: { text: string | undefined }) => (
  <span dir="auto" className="max-md:line-clamp-3 md:truncate">
    {text || '—'}
  </span>
);

const columnsFor = (names: ReturnType<typeof sideNames>, isMeasured: boolean): Column<ResultRow>[] => [
  {
    id: 'question',
    header: 'Question',
    isTitle: true,
    cell: ({ number, question }) => <span title={question}>{`${number}. ${question}`}</span>,
  },
  { id: 'candidate', header: names.candidate, cell: ({ prompt }) => <Words text={prompt.candidate?.text} /> },
  ...(isMeasured
    ? [
        {
          id: 'baseline',
          header: names.baseline,
          cell: ({ prompt }: ResultRow) => <Words text={prompt.baseline?.text} />,
        },
      ]
    : []),
  {
    id: 'result',
    header: 'Result',
    width: 'w-28',
    cell: ({ result }) => <Badge tone={resultTones[result]}>{resultNames[result]}</Badge>,
  },
  { id: 'by', header: 'By', width: 'w-32', cell: ({ by }) => (by ? byNames[by] : '—') },
];

/** Results of a run, in total and by question. */
export function RunResultsCard({ comparison, isBlind }: { comparison: WholeComparison; isBlind: boolean }) {
  const query = useQuery(resultsQuery(comparison.id));
  const { data } = query;
  if (query.isError && !data)
    return (
      <RetryNotice tone="destructive" title="Failed to load the results" query={query}>
        {errorText(query.error)}
      </RetryNotice>
    );
  if (!data) return <Skeleton className="h-40 w-full rounded-lg" />;
  return <Loaded comparison={comparison} results={data} isBlind={isBlind} />;
}

type LoadedProps = { comparison: WholeComparison; results: RunResults; isBlind: boolean };

function Loaded({ comparison, results, isBlind }: LoadedProps) {
  const { items, baseline } = comparison;
  const { set, run } = results;
  return (
    <Card aria-label="Results">
      <CardHeader
        title="Results"
        description={
          <>
            Test set{' '}
            <Link
              to="/test-sets/$id"
              params={{ id: set.id }}
              className="rounded-xs underline decoration-border-strong underline-offset-4 hover:text-foreground"
            >
              <bdi>{set.name}</bdi>
            </Link>
            {baseline && `, beside ${baseline.label}`}
          </>
        }
        action={
          <div className="flex flex-wrap gap-2">
            <SaveResults
              name={`test-run-${comparison.id}`}
              csv={() => resultsCsv(comparison, results)}
              json={() => resultsJson(comparison, results)}
              disabledReason={isBlind ? 'Turn off Blind to save the results.' : undefined}
            />
          </div>
        }
      />
      <CardBody className="space-y-4">
        <output className="sentence block font-medium tabular-nums">
          {progressText(run) ?? `${sentence(countsText(run.counts))}.`}
        </output>
        <ResultCounts counts={run.counts} />
        <ResultLegend />
        {isBlind ? (
          <p className="text-muted-foreground text-sm">
            The table would tell which answer is which. Turn off Blind to see it.
          </p>
        ) : (
          <Table
            label="Results by question"
            columns={columnsFor(sideNames(comparison), baseline !== null)}
            rows={resultRows(items, results.items)}
            rowKey={({ prompt }) => prompt.id}
          />
        )}
      </CardBody>
    </Card>
  );
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
