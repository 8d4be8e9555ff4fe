import type { UserConfig } from '@roster/contracts/account';
import type { EndingModel } from '@roster/contracts/model-life';
import type { Budget } from '@roster/contracts/usage';
import { Link } from '@tanstack/react-router';
import { ArrowRight, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatCost, formatCount, formatLongDate } from '#web/lib/format.ts';
import { Card } from '#web/ui/card.tsx';

type Matter = {
  key: string;
  what: ReactNode;
  detail?: ReactNode;
  to: { to: string; search?: Record<string, string> };
  action: string;
};

function aboutKey(config: UserConfig | undefined): Matter[] {
  if (!config?.hasApiKey || config.apiKeyVerified) return [];
  const what = config.apiKeyNotice ?? 'Your API key is saved, but nobody has tried it yet.';
  return [{ key: 'key', what, to: { to: '/settings', search: { tab: 'api-keys' } }, action: 'Check the API key' }];
}

function aboutBudget({ id, assistant, state, spentUsd, amountUsd, hardStop }: Budget): Matter[] {
  if (state === 'within') return [];
  const sum = `${formatCost(spentUsd)} of ${formatCost(amountUsd)}`;
  const what = (
    <>
      {assistant ? <bdi>{assistant.name}</bdi> : 'This month'} has cost {sum} of the budget
    </>
  );
  const usedUp = hardStop ? 'Nothing more is sent without your word' : 'It is used up';
  const detail = state === 'exceeded' ? usedUp : undefined;
  return [{ key: `budget ${id}`, what, detail, to: { to: '/analytics' }, action: 'See costs' }];
}

/** One line for each model in use that ends. */
export const aboutModels = (ending: readonly EndingModel[] = []): Matter[] =>
  ending.map(({ model, lifecycle, shutdownDate, assistantCount, conversations }) => {
    const what = (
      <>
        <span className="font-mono text-sm">{model}</span> {lifecycle === 'gone' ? 'ended' : 'ends'} on{' '}
        {formatLongDate(shutdownDate)}
      </>
    );
    const detail =
      assistantCount > 0
        ? `${formatCount(assistantCount, 'assistant uses it', 'assistants use it')}`
        : conversations > 0 && formatCount(conversations, 'conversation uses it', 'conversations use it');
    return { key: `model ${model}`, what, detail, to: { to: '/assistants/models' }, action: 'See what uses it' };
  });

export const aboutAccount = (config: UserConfig | undefined, budgets: readonly Budget[] = []): Matter[] => [
  ...aboutKey(config),
  ...budgets.flatMap(aboutBudget),
];

/** What a user should know before going on; empty where there is nothing. */
export function Attention({ matters, className = 'mb-4' }: { matters: readonly Matter[]; className?: string }) {
  if (matters.length === 0) return null;
  return (
    <Card aria-label="Needs attention" className={className}>
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
