import { fallbackNote, isOutage } from '#server/provider/fallback';
import type { LiveRun } from './live-run.ts';
import type { RunSpec } from './run-spec.ts';

export type Fallback = { spec: RunSpec; model: string; note: string };

/** The assistant's other model, if the first one has failed before it wrote anything. */
export function fallbackOf({ spec, log }: LiveRun, error: unknown): Fallback | null {
  const { input } = spec;
  if (input.kind !== 'answer' || !input.target.fallback || !isOutage(error)) return null;
  if (log.text !== '' || log.reasoning !== '' || log.calls.length > 0) return null;
  const { fallback, ...target } = input.target;
  return {
    spec: { ...spec, input: { ...input, target: { ...target, ...fallback } } },
    model: fallback.model,
    note: fallbackNote(target.model, fallback.model, error.message),
  };
}
