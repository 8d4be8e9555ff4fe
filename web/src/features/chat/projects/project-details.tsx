import type { Project } from '@roster/contracts/projects/projects';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { projectCostsQuery } from '#web/api/usage.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { mediaQueryStore, useStore } from '#web/lib/store.ts';
import { dayIn, localZone } from '#web/lib/text/day.ts';
import { formatCost, formatCount } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { ProjectBudget } from './project-budget.tsx';
import { ProjectFiles } from './project-files.tsx';

type ProjectDetailsProps = { project: Project; onEdit: () => void };

/** Instructions, files, default, cost and budget of a project; one line on narrow screens, until it is opened. */
export function ProjectDetails(props: ProjectDetailsProps) {
  if (!useStacked()) return <AboutProject {...props} />;
  return (
    <details className="group/about order-first">
      <summary className="flex min-h-11 list-none items-center gap-2 rounded-lg border border-border bg-card px-4 py-2 hover:bg-hover group-open/about:mb-3 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground group-open/about:rotate-90 rtl:not-group-open/about:-scale-x-100"
        />
        <span className="font-medium">About this project</span>
        <span className="ms-auto min-w-0 truncate text-muted-foreground text-sm">Instructions, files, cost</span>
      </summary>
      <AboutProject {...props} />
    </details>
  );
}

const stacked = mediaQueryStore('(max-width: 1023.98px)');
/** True if the details are above the conversations, not beside them. */
const useStacked = (): boolean => useStore(stacked);

function AboutProject({ project, onEdit }: ProjectDetailsProps) {
  return (
    <Card aria-label="About this project" className="divide-y divide-border">
      <Detail title="Instructions">
        {project.instructions === '' ? (
          <>
            <p className="mb-3 text-muted-foreground">None yet. They are added to every answer in this project.</p>
            <Button size="sm" className="max-md:h-10" onClick={onEdit}>
              Add instructions
            </Button>
          </>
        ) : (
          <p dir="auto" className="max-h-28 overflow-y-auto whitespace-pre-wrap [overflow-wrap:anywhere] lg:max-h-80">
            {project.instructions}
          </p>
        )}
      </Detail>
      <Detail title="Files">
        <ProjectFiles projectId={project.id} />
      </Detail>
      <Detail title="New conversations are answered by">
        <AnsweredByName project={project} />
      </Detail>
      <Detail title="Cost this month">
        <CostThisMonth projectId={project.id} />
      </Detail>
      <Detail title="Monthly budget">
        <ProjectBudget project={project} />
      </Detail>
    </Card>
  );
}

const Detail = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="px-5 py-4">
    <h2 className="mb-1.5 font-medium text-muted-foreground text-sm">{title}</h2>
    {children}
  </section>
);

function AnsweredByName({ project: { assistantId, model } }: { project: Project }) {
  const { data } = useQuery(assistantsQuery);
  if (model !== null)
    return (
      <p className="font-mono text-sm [overflow-wrap:anywhere]">
        <ModelName model={model} />
      </p>
    );
  if (assistantId === null) return <p>The usual assistant or model</p>;
  const name = data?.find(({ id }) => id === assistantId)?.name;
  return name === undefined ? (
    <Skeleton className="h-5 w-32" />
  ) : (
    <p>
      <bdi>{name}</bdi>
    </p>
  );
}

/** From the first of the month in local time. */
function thisMonth() {
  const tz = localZone();
  const to = dayIn(tz, new Date());
  return { from: `${to.slice(0, 7)}-01`, to, tz };
}

function CostThisMonth({ projectId }: { projectId: number }) {
  const { data, error } = useQuery(projectCostsQuery(thisMonth()));
  if (error) return <p className="text-muted-foreground">The cost could not be loaded.</p>;
  if (!data) return <Skeleton className="h-7 w-24" />;
  const figures = data.items.find(({ project }) => project.id === projectId);
  if (!figures) return <p className="text-muted-foreground">No requests this month.</p>;
  const { costUsd, requests, unpricedRequests } = figures;
  const unpriced = unpricedRequests > 0 ? `, ${unpricedRequests} with no known price` : '';
  return (
    <>
      <p className="font-semibold text-lg tabular-nums">{costUsd === null ? 'No price known' : formatCost(costUsd)}</p>
      <p className="mt-0.5 text-muted-foreground text-sm">
        {`${formatCount(requests, 'request')}${unpriced} · `}
        <Link to="/analytics" className="underline decoration-border-strong underline-offset-4 hover:text-foreground">
          Analytics
        </Link>
      </p>
    </>
  );
}
