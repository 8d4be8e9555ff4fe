import type { Project } from '@roster/contracts/projects/projects';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { budgetsQuery, isProjectBudget } from '#web/api/usage.ts';
import { BudgetStateBadge, BudgetUse } from '#web/components/budgets/budget-use.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { localZone } from '#web/lib/text/day.ts';
import { Button } from '#web/ui/button.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';

// Forms bring their library and all schemas.
const BudgetDialog = lazyPart(async () => (await import('#web/components/budgets/budget-dialog.tsx')).BudgetDialog);

/** How much of a project's monthly budget is used, and where it is set. */
export function ProjectBudget({ project }: { project: Pick<Project, 'id' | 'name'> }) {
  const query = useQuery(budgetsQuery);
  const tz = useMemo(localZone, []);
  const [isEditing, setEditing] = useState(false);
  const edit = () => setEditing(true);
  if (query.isPending) return <Skeleton className="h-10" />;
  if (query.data === undefined)
    return (
      <RetryNotice tone="destructive" live query={query} title="Failed to load budgets">
        {errorText(query.error)}
      </RetryNotice>
    );
  const budget = query.data.filter(isProjectBudget).find((one) => one.project.id === project.id) ?? null;
  return (
    <>
      {budget ? (
        <>
          <BudgetStateBadge budget={budget} />
          <BudgetUse budget={budget} onChange={edit} />
        </>
      ) : (
        <>
          <p className="mb-3 text-muted-foreground">None yet. It warns you in Chat and can stop further messages.</p>
          <Button size="sm" className="max-md:h-10" onClick={edit}>
            Set a budget
          </Button>
        </>
      )}
      {isEditing && (
        <BudgetDialog
          budget={budget}
          budgets={query.data}
          project={project}
          tz={tz}
          onClose={() => setEditing(false)}
        />
      )}
    </>
  );
}
