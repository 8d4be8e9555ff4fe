import type { Comparison } from '@roster/contracts/comparisons/comparisons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { refreshJudgings } from '#web/features/comparisons/shared/refresh.ts';
import { judgingQuery, judgingsQuery } from './queries.ts';

/** Judgings of a comparison, and the selected one: the newest by default. */
export function useJudging({ id, state }: Pick<Comparison, 'id' | 'state'>) {
  const client = useQueryClient();
  // An automatic judging starts when asking has ended.
  useEffect(() => {
    if (state === 'idle') void refreshJudgings(client, id);
  }, [client, id, state]);
  const { data: judgings = [] } = useQuery(judgingsQuery(id));
  const [chosen, setChosen] = useState<number | null>(null);
  const shownId = judgings.find((judging) => judging.id === chosen)?.id ?? judgings[0]?.id;
  const { data: shown } = useQuery({ ...judgingQuery(id, shownId ?? 0), enabled: shownId !== undefined });
  const verdicts = useMemo(
    () => new Map((shown?.verdicts ?? []).map((verdict) => [verdict.promptId, verdict])),
    [shown?.verdicts],
  );
  return { judgings, shown: shownId === undefined ? undefined : shown, verdicts, choose: setChosen };
}
