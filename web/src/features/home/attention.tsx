import type { UserConfig } from '@roster/contracts/account';
import type { RetiringModel } from '@roster/contracts/models/retirement';
import { Link } from '@tanstack/react-router';
import { ArrowRight, TriangleAlert } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { type AnyBudget, budgetSubject, isProjectBudget } from '#web/api/usage.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { formatCost, formatCount, formatLongDate } from '#web/lib/text/format.ts';
import { Card } from '#web/ui/card.tsx';

type AttentionItem = {
  key: string;
  what: ReactNode;
  detail?: ReactNode;
  to: { to: string; search?: Record<string, string> };
  action: string;
};

function aboutKey(config: UserConfig | undefined): AttentionItem[] {
  if (!config?.hasApiKey || config.apiKeyVerified) return [];
  const what = config.apiKeyNotice ?? 'Your API key is saved but has not been checked yet.';
  return [{ key: 'key', what, to: { to: '/settings', search: { tab: 'api-keys' } }, action: 'Check the API key' }];
}

function aboutBudget(budget: AnyBudget): AttentionItem[] {
  const { id, state, spentUsd, amountUsd, hardStop } = budget;
  if (state === 'within') return [];
  const subject = budgetSubject(budget);
  const sum = `${formatCost(spentUsd)} of ${formatCost(amountUsd)}`;
  const what = (
    <>
      {isProjectBudget(budget) && 'The project '}
      {subject === undefined ? 'This month' : <bdi>{subject}</bdi>} has cost {sum} of the budget
    </>
  );
  const usedUp = hardStop ? 'Further messages need your confirmation' : 'It is used up';
  const detail = state === 'exceeded' ? usedUp : undefined;
  return [
    {
      key: `${isProjectBudget(budget) ? 'project ' : ''}budget ${id}`,
      what,
      detail,
      to: { to: '/analytics', search: { tab: 'budgets' } },
      action: 'See costs',
    },
  ];
}

/** Maximum number of models named per date. */
const maxNamed = 3;

function namesOf(models: readonly RetiringModel[]) {
  const more = models.length - maxNamed;
  const named = models.slice(0, more > 0 ? maxNamed : undefined);
  return (
    <>
      {named.map(({ model }, index) => (
        <Fragment key={model}>
          {index > 0 && (index === named.length - 1 && more <= 0 ? ' and ' : ', ')}
          <span className="font-mono text-sm">
            <ModelName model={model} />
          </span>
        </Fragment>
      ))}
      {more > 0 && ` and ${formatCount(more, 'other')}`}
    </>
  );
}

/** Text about what uses these models. A fine-tuned model counts once, even if its base is named as well. */
function usersOf(models: readonly RetiringModel[]): string | undefined {
  const sum = (of: (model: RetiringModel) => number) => models.reduce((total, model) => total + of(model), 0);
  const tuned = new Set(models.flatMap(({ tunedModels }) => tunedModels.map(({ id }) => id))).size;
  const counts: [count: number, one: string][] = [
    [sum(({ assistantCount }) => assistantCount), 'assistant'],
    [sum(({ conversations }) => conversations), 'conversation'],
    [tuned, 'fine-tuned model'],
  ];
  const named = counts.filter(([count]) => count > 0).map(([count, one]) => formatCount(count, one));
  return named.length === 0 ? undefined : `Used by ${lists.format(named)}`;
}

const lists = new Intl.ListFormat('en', { style: 'long', type: 'conjunction' });

/** One line per retirement date of models in use. */
export const modelItems = (ending: readonly RetiringModel[] = []): AttentionItem[] =>
  [...Map.groupBy(ending, ({ shutdownDate, lifecycle }) => `${shutdownDate} ${lifecycle}`)].flatMap(([key, models]) => {
    const [first] = models;
    if (!first) return [];
    const verb = first.lifecycle === 'gone' ? 'retired' : models.length === 1 ? 'retires' : 'retire';
    const what = (
      <>
        {namesOf(models)} {verb} on {formatLongDate(first.shutdownDate)}
      </>
    );
    const to = { to: '/assistants/models' };
    return [
      {
        key: `models ${key}`,
        what,
        detail: usersOf(models),
        to,
        action: models.length === 1 ? 'See what uses it' : 'See what uses them',
      },
    ];
  });

export const accountItems = (config: UserConfig | undefined, budgets: readonly AnyBudget[] = []): AttentionItem[] => [
  ...aboutKey(config),
  ...budgets.flatMap(aboutBudget),
];

/** Items that need attention; nothing if there are none. */
export function Attention({ matters }: { matters: readonly AttentionItem[] }) {
  if (matters.length === 0) return null;
  return (
    <Card aria-label="Needs attention" className="mb-4">
      <ul className="divide-y divide-border">
        {matters.map(({ key, what, detail, to, action }) => (
          <li key={key} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-5 py-3">
            <TriangleAlert aria-hidden className="size-4 shrink-0 text-warning-text" />
            <div className="wrap-anywhere min-w-0 flex-1 basis-56">
              <p>{what}</p>
              {detail && <p className="text-muted-foreground text-sm">{detail}</p>}
            </div>
            <Link
              {...to}
              className="inline-flex items-center gap-1 text-primary-text text-sm underline-offset-4 hover:underline max-md:min-h-10 max-md:ps-7"
            >
              {action}
              <ArrowRight aria-hidden className="size-3.5 rtl:-scale-x-100" />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
