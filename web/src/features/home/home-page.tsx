import { chat } from '@roster/contracts/chat';
import { providerNameIn } from '@roster/contracts/provider-name';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowRight, ChartNoAxesColumn, Files, MessageSquare, Users } from 'lucide-react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useUser } from '#web/api/current-user.ts';
import { openJobsQuery } from '#web/api/fine-tuning.ts';
import { retirementQuery } from '#web/api/retirement.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { budgetsQuery } from '#web/api/usage.ts';
import { userConfigQuery } from '#web/api/user-config.ts';
import { call } from '#web/lib/api-client.ts';
import type { Icon } from '#web/ui/icon.ts';
import { Page } from '#web/ui/page.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { AskBox } from './ask-box.tsx';
import { Attention, accountItems, modelItems } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Overview } from './overview.tsx';

/** Newest conversations, pinned ones first, in the order of the Chat list. */
const recentThreadsQuery = queryOptions({
  queryKey: ['threads', 'recent'],
  queryFn: async ({ signal }) => (await call(chat.threads, { query: { limit: 5, archived: 'false' } }, signal)).items,
  staleTime: 0,
  refetchOnMount: 'always',
});

type Destination = { to: '/chat' | '/files' | '/analytics' | '/users'; title: string; text: string; icon: Icon };

export function HomePage() {
  const user = useUser();
  const provider = useProviderName();
  // Wait for what is shown above the cards, so that they are not pushed down.
  const config = useQuery(userConfigQuery);
  const assistants = useQuery(assistantsQuery);
  const budgets = useQuery(budgetsQuery);
  const jobs = useQuery(openJobsQuery);
  const threads = useQuery(recentThreadsQuery);
  const models = useQuery(retirementQuery);
  const isKnown = [config, assistants, budgets, jobs, threads, models].every(({ isPending }) => !isPending);
  const cards: Destination[] = [
    {
      to: '/chat',
      title: 'Chat with AI',
      text: `Interact with your personalized ${providerNameIn('compound', provider)} assistant`,
      icon: MessageSquare,
    },
    { to: '/files', title: 'Manage Files', text: 'Upload and organize files for your assistants', icon: Files },
    { to: '/analytics', title: 'Analytics', text: 'Track your API usage and costs', icon: ChartNoAxesColumn },
  ];
  const management: Destination = {
    to: '/users',
    title: 'User Management',
    text: 'Manage user access and permissions',
    icon: Users,
  };
  return (
    <Page title={`Welcome, ${user.name ?? user.email}`} lead="Your AI Assistant Dashboard">
      <AskBox />
      {isKnown ? (
        <>
          <Attention matters={[...accountItems(config.data, budgets.data), ...modelItems(models.data)]} />
          <FirstSteps hasThreads={(threads.data?.length ?? 0) > 0} />
          {threads.data && threads.data.length > 0 && (
            <Overview threads={threads.data} budgets={budgets.data ?? []} jobs={jobs.data ?? []} />
          )}
          <ul className={gridClass}>
            {cards.map((card) => (
              <DestinationCard key={card.to} {...card} />
            ))}
            {user.role === 'Admin' ? <DestinationCard {...management} /> : <ClosedCard {...management} />}
          </ul>
        </>
      ) : (
        <LoadingCards />
      )}
    </Page>
  );
}

const gridClass = 'grid gap-4 sm:grid-cols-2 xl:grid-cols-4';
const cardClass = 'group flex h-full flex-col rounded-lg border border-border bg-card p-5';

function DestinationCard({ to, title, text, icon: IconPart }: Destination) {
  return (
    <li>
      <Link to={to} className={`${cardClass} transition-colors duration-120 hover:border-border-strong`}>
        <span className="flex items-center justify-between text-muted-foreground">
          <IconPart aria-hidden className="size-4" />
          <ArrowRight
            aria-hidden
            className="size-4 opacity-0 transition-opacity duration-120 group-hover:opacity-100 group-focus-visible:opacity-100"
          />
        </span>
        <h2 className="mt-8 font-semibold">{title}</h2>
        <p className="mt-1 text-muted-foreground text-sm">{text}</p>
      </Link>
    </li>
  );
}

function LoadingCards() {
  return (
    <div aria-busy="true" className={gridClass}>
      <span className="sr-only">Loading</span>
      {['chat', 'files', 'analytics', 'users'].map((card) => (
        <div key={card} className={cardClass}>
          <Skeleton className="size-4" />
          <Skeleton className="mt-8 h-5 w-1/2" />
          <Skeleton className="mt-2 h-4 w-4/5" />
        </div>
      ))}
    </div>
  );
}

/** Visible to everyone; only administrators can open it. */
function ClosedCard({ title, text, icon: IconPart }: Destination) {
  return (
    <li className={cardClass}>
      <IconPart aria-hidden className="size-4 text-muted-foreground" />
      <h2 className="mt-8 font-semibold">{title}</h2>
      <p className="mt-1 text-muted-foreground text-sm">{text}. For administrators.</p>
    </li>
  );
}
