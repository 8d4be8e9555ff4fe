import type { ComparedSide, Comparison, ComparisonKind } from '@roster/contracts/comparisons/comparisons';

export type Side = ComparedSide;
export type SideNames = Record<Side, string>;

const both = ['candidate', 'baseline'] as const satisfies readonly Side[];
const candidateAlone = ['candidate'] as const satisfies readonly Side[];

/** Sides that are asked and shown. */
export const sidesOf = ({ baseline }: Pick<Comparison, 'baseline'>): readonly Side[] =>
  baseline ? both : candidateAlone;

const namesByKind: Record<ComparisonKind, SideNames> = {
  models: { candidate: 'Tuned', baseline: 'Base' },
  draft: { candidate: 'Draft', baseline: 'Current' },
  replay: { candidate: 'New', baseline: 'Old' },
  test: { candidate: 'This run', baseline: 'Earlier run' },
};

/** Names of the sides, by kind of comparison. */
export const sideNames = ({ kind }: Pick<Comparison, 'kind'>): SideNames => namesByKind[kind];
