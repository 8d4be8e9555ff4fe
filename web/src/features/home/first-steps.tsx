import { providerNameIn } from '@roster/contracts/provider-name';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCanChat } from '#web/api/can-chat.ts';
import { exampleModels } from '#web/api/example-models.ts';
import { modelsQuery } from '#web/api/models.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { userConfigQuery } from '#web/api/user-config.ts';
import { AskThreeLink } from '#web/components/ask-three-link.tsx';
import { buttonClass } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';

/** Steps to a first answer; disappears when complete. Hidden while unknown. `hasThreads`: something was asked before. */
export function FirstSteps({ hasThreads }: { hasThreads: boolean }) {
  const { data: config } = useQuery(userConfigQuery);
  // Until the models are known the key decides, so that the page does not shift when they come.
  const canChat = useCanChat() ?? config?.hasApiKey;
  const { data: models } = useQuery(modelsQuery);
  const provider = useProviderName();
  if (canChat === undefined || (canChat && hasThreads)) return null;
  const several = models ? exampleModels(models) : [];
  const firstQuestion =
    several.length > 1
      ? 'See several models answer it side by side, with time and price.'
      : 'Type it above, or start a conversation.';
  return (
    <Card aria-labelledby="first-steps" className="mb-4 animate-appear">
      <h2 id="first-steps" className="px-5 pt-5 font-semibold">
        First steps
      </h2>
      <ol className="divide-y divide-border px-5 py-1">
        <Step
          number={1}
          done={canChat}
          title={`Add your ${providerNameIn('compound', provider)} API key`}
          text="It is stored encrypted and used only to call the provider."
        >
          <Link to="/settings" search={{ tab: 'api-keys' }} className={buttonClass({ variant: 'primary', size: 'sm' })}>
            Add API key
          </Link>
        </Step>
        <Step number={2} done={hasThreads} title="Ask your first question" text={firstQuestion}>
          {canChat && <AskThreeLink models={several} />}
        </Step>
      </ol>
    </Card>
  );
}

type StepProps = { number: number; done: boolean; title: string; text: string; children: ReactNode };

function Step({ number, done, title, text, children }: StepProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 py-4">
      <span
        className={`flex size-6 shrink-0 items-center justify-center rounded-full text-xs tabular-nums ${done ? 'bg-success/14 text-success-text' : 'border border-border-strong text-muted-foreground'}`}
      >
        {done ? <Check aria-hidden className="size-3.5" /> : number}
      </span>
      <div className="min-w-48 flex-1">
        <p className={done ? 'text-muted-foreground line-through' : 'font-medium'}>{title}</p>
        {done ? <span className="sr-only">Done</span> : <p className="text-muted-foreground text-sm">{text}</p>}
      </div>
      {!done && <div className="max-sm:w-full max-sm:ps-10">{children}</div>}
    </li>
  );
}
