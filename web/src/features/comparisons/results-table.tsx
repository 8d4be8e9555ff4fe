import type { JudgingDetail } from '@roster/contracts/comparisons/judging';
import { formatCost } from '#web/lib/text/format.ts';
import { type Column, Table } from '#web/ui/table.tsx';
import { VerdictBadge } from './judging/verdict-line.tsx';
import { type ResultRow, resultRows } from './results.ts';
import type { WholeComparison } from './shared/queries.ts';
import type { SideNames } from './shared/sides.ts';

const voteName = (vote: ResultRow['prompt']['vote'], names: SideNames) =>
  vote === null ? '—' : vote === 'tie' ? 'Tie' : `${names[vote]} better`;

const sumOf = (...costs: (number | null | undefined)[]): number | null => {
  const known = costs.filter((cost) => typeof cost === 'number');
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
};
const costIn = (cost: number | null) => (cost === null ? '—' : formatCost(cost));

const answersFor = (names: SideNames): Column<ResultRow>[] => [
  {
    id: 'prompt',
    header: 'Prompt',
    isTitle: true,
    cell: ({ number, question }) => <span title={question}>{`${number}. ${question}`}</span>,
  },
  { id: 'candidate', header: names.candidate, cell: ({ prompt }) => prompt.candidate?.text ?? '—' },
  { id: 'baseline', header: names.baseline, cell: ({ prompt }) => prompt.baseline?.text ?? '—' },
  { id: 'vote', header: 'Your vote', width: 'w-28', cell: ({ prompt }) => voteName(prompt.vote, names) },
];

const verdictsFor = (names: SideNames): Column<ResultRow>[] => [
  {
    id: 'verdict',
    header: 'Verdict',
    width: 'w-40',
    cell: ({ verdict }) => (verdict ? <VerdictBadge verdict={verdict} names={names} /> : '—'),
  },
  { id: 'reason', header: 'Reason', cell: ({ reason }) => <span title={reason}>{reason || '—'}</span> },
];

const answersCost: Column<ResultRow> = {
  id: 'answers-cost',
  header: 'Answers cost',
  width: 'w-32',
  align: 'end',
  cell: ({ prompt }) => costIn(sumOf(prompt.candidate?.usage?.costUsd, prompt.baseline?.usage?.costUsd)),
};
const judgeCost: Column<ResultRow> = {
  id: 'judge-cost',
  header: 'Judge cost',
  width: 'w-32',
  align: 'end',
  cell: ({ judge }) => costIn(judge.costUsd),
};

type ResultsTableProps = { comparison: WholeComparison; judging: JudgingDetail | undefined; names: SideNames };

/** One row per prompt. With only a candidate there are no votes. */
export function ResultsTable({ comparison, judging, names }: ResultsTableProps) {
  const isAlone = comparison.baseline === null;
  const answers = answersFor(names).filter(({ id }) => !isAlone || (id !== 'baseline' && id !== 'vote'));
  const judged = judging ? [...verdictsFor(names), answersCost, judgeCost] : [answersCost];
  return (
    <Table
      label="Results"
      columns={[...answers, ...judged]}
      rows={resultRows(comparison.items, judging)}
      rowKey={({ prompt }) => prompt.id}
    />
  );
}
