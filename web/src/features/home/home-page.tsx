import { providerIn } from '@roster/contracts/provider-name';
import { Link } from '@tanstack/react-router';
import { ArrowRight, ChartNoAxesColumn, Files, MessageSquare, Users } from 'lucide-react';
import { useUser } from '#web/data/current-user.ts';
import { useProviderName } from '#web/data/sign-in-options.ts';
import type { Icon } from '#web/ui/icon.ts';
import { Page } from '#web/ui/page.tsx';
import { FirstSteps } from './first-steps.tsx';

type Destination = { to: '/chat' | '/files' | '/analytics' | '/users'; title: string; text: string; icon: Icon };

export function HomePage() {
  const user = useUser();
  const provider = useProviderName();
  const cards: Destination[] = [
    {
      to: '/chat',
      title: 'Chat with AI',
      text: `Interact with your personalized ${providerIn('compound', provider)} assistant`,
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
      <FirstSteps />
      <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {cards.map((card) => (
          <DestinationCard key={card.to} {...card} />
        ))}
        {user.role === 'Admin' ? <DestinationCard {...management} /> : <ClosedCard {...management} />}
      </ul>
    </Page>
  );
}

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

/** Everybody sees that there is user management; only administrators get in. */
function ClosedCard({ title, text, icon: IconPart }: Destination) {
  return (
    <li className={cardClass}>
      <IconPart aria-hidden className="size-4 text-muted-foreground" />
      <h2 className="mt-8 font-semibold">{title}</h2>
      <p className="mt-1 text-muted-foreground text-sm">{text}. For administrators.</p>
    </li>
  );
}
