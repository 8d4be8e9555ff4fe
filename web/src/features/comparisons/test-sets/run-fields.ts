import type { NewTestRun, TestRun, TestSet } from '@roster/contracts/comparisons/test-sets';
import type { z } from 'zod';
import { criteriaError } from '#web/features/comparisons/shared/criteria-field.tsx';

export type RunBody = z.input<typeof NewTestRun>;

/** Values of the dialog's selects. */
export type RunFields = { candidate: string; baseline: string; judge: string; criteria: string };

export const versionValue = (version: number) => `version ${version}`;
export const modelValue = (model: string) => `model ${model}`;
/** undefined if it is a version. */
export const modelOf = (value: string) => (value.startsWith('model ') ? value.slice('model '.length) : undefined);
export const runValue = (id: number) => `run ${id}`;
export const noBaseline = 'nothing';

/** Default baseline: the newest run that has answers. */
export const defaultBaseline = (runs: readonly Pick<TestRun, 'id' | 'counts' | 'prompts'>[]): string => {
  const answered = runs.find(({ counts, prompts }) => counts.unanswered < prompts);
  return answered ? runValue(answered.id) : noBaseline;
};

function chosen(value: string): [kind: string, what: string] {
  const space = value.indexOf(' ');
  return space < 0 ? [value, ''] : [value.slice(0, space), value.slice(space + 1)];
}

function baselineOf(value: string): RunBody['baseline'] {
  const [kind, what] = chosen(value);
  if (kind === 'version') return { kind, version: Number(what) };
  return kind === 'run' ? { kind, runId: Number(what) } : { kind: 'nothing' };
}

/** undefined if something is missing. */
export function toRun(fields: RunFields, draft: RunBody['candidate'] | undefined, set: TestSet): RunBody | undefined {
  const { judge: model, criteria } = fields;
  if (model !== '' && criteriaError(criteria) !== undefined) return undefined;
  const [kind, what] = chosen(fields.candidate);
  const judge = model === '' ? null : { model, criteria };
  if (draft) return { candidate: draft, baseline: { kind: 'version', version: set.assistant.version }, judge };
  if (what === '') return undefined;
  const candidate: RunBody['candidate'] =
    kind === 'version' ? { kind, version: Number(what) } : { kind: 'model', model: what };
  const baseline = baselineOf(fields.baseline);
  return { candidate, baseline, judge: baseline.kind === 'nothing' ? null : judge };
}
