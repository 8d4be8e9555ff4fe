import type { WholeJudging } from '@roster/contracts/comparison-judging';
import type { WholeComparison } from '#web/features/comparisons/queries.ts';
import type { SideNames } from '#web/features/comparisons/sides.ts';
import { formatCost, formatNumber } from '#web/lib/format.ts';
import { type Column, Table } from '#web/ui/table.tsx';
import { type ResultRow, resultRows } from './results.ts';
import { VerdictBadge } from './verdict-line.tsx';

const voteName = (vote: ResultRow['prompt']['vote'], names: SideNames) =>
  vote === null ? '—' : vote === 'tie' ? 'Tie' : `${names[vote]} better`;

const columnsFor = (names: SideNames): Column<ResultRow>[] => [
  {
    id: 'prompt',
    header: 'Prompt',
    isTitle: true,
    cell: ({ number, question }) => <span title={question}>{`${number}. ${question}`}</span>,
  },
  { id: 'candidate', header: names.candidate, cell: ({ prompt }) => prompt.candidate?.text ?? '—' },
  { id: 'baseline', header: names.baseline, cell: ({ prompt }) => prompt.baseline?.text ?? '—' },
  { id: 'vote', header: 'Your vote', width: 'w-28', cell: ({ prompt }) => voteName(prompt.vote, names) },
  {
    id: 'verdict',
    header: 'Verdict',
    width: 'w-40',
    cell: ({ verdict }) => (verdict ? <VerdictBadge verdict={verdict} names={names} /> : '—'),
  },
  { id: 'reason', header: 'Reason', cell: ({ reason }) => <span title={reason}>{reason || '—'}</span> },
  {
    id: 'tokens',
    header: 'Tokens',
    width: 'w-24',
    align: 'end',
    cell: ({ judge }) =>
      judge.inputTokens === null ? '—' : formatNumber(judge.inputTokens + (judge.outputTokens ?? 0)),
  },
  {
    id: 'cost',
    header: 'Cost',
    width: 'w-24',
    align: 'end',
    cell: ({ judge }) => (judge.costUsd === null ? '—' : formatCost(judge.costUsd)),
  },
];

type ResultsTableProps = { comparison: WholeComparison; judging: WholeJudging; names: SideNames };

/** Each prompt in a row; tokens and cost are those of the judge. */
export function ResultsTable({ comparison, judging, names }: ResultsTableProps) {
  return (
    <Table
      label="Results"
      columns={columnsFor(names)}
      rows={resultRows(comparison.items, judging)}
      rowKey={({ prompt }) => prompt.id}
    />
  );
}
