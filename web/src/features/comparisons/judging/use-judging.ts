import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { judgingQuery, judgingsQuery } from './queries.ts';

/** The judgings of a comparison, and the one that is shown: the newest until another is chosen. */
export function useJudging(id: number) {
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
