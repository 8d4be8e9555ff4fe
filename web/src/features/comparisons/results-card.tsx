import type { JudgingDetail } from '@roster/contracts/comparisons/judging';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { resultsCsv, resultsJson } from './results.ts';
import { ResultsTable } from './results-table.tsx';
import type { WholeComparison } from './shared/queries.ts';
import { SaveResults } from './shared/save-results.tsx';
import { sideNames } from './shared/sides.ts';

type ResultsCardProps = {
  comparison: WholeComparison;
  /** The selected judging, if any. */
  judging: JudgingDetail | undefined;
  /** A table would reveal the models. */
  isBlind: boolean;
};

/** All prompts as a table and as downloads. Hidden until something was answered. */
export function ResultsCard({ comparison, judging, isBlind }: ResultsCardProps) {
  const [isTable, setIsTable] = useState(false);
  if (!comparison.items.some(({ candidate }) => candidate?.state === 'complete')) return null;
  const name = `comparison-${comparison.id}${judging ? `-judged-${judging.id}` : ''}`;
  const isShown = isTable && !isBlind;
  return (
    <Card aria-label="Results" className={isShown ? '' : 'pb-5'}>
      <CardHeader
        title="Results"
        description="Answers, votes and costs of each prompt, with the judge’s verdicts if any."
        action={
          <div className="flex flex-wrap gap-2">
            <Button
              size="sm"
              aria-pressed={isTable}
              disabledReason={isBlind ? 'Turn off Blind to see the table.' : undefined}
              onClick={() => setIsTable(!isTable)}
            >
              Table
            </Button>
            <SaveResults
              name={name}
              csv={() => resultsCsv(comparison, judging)}
              json={() => resultsJson(comparison, judging)}
            />
          </div>
        }
      />
      {isShown && (
        <CardBody>
          <ResultsTable comparison={comparison} judging={judging} names={sideNames(comparison)} />
        </CardBody>
      )}
    </Card>
  );
}
