import { providerNameIn } from '@roster/contracts/provider-name';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useCanChat } from '#web/api/can-chat.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';

/** Set-up steps for a new account; disappears when complete. Hidden while unknown. */
export function FirstSteps() {
  const { data: assistants } = useQuery(assistantsQuery);
  const { mayEdit, reason } = useEditAccess();
  const provider = useProviderName();
  const canChat = useCanChat();
  if (!assistants || canChat === undefined) return null;
  // A Viewer cannot create assistants, so the key is the last step.
  if (canChat && (assistants.length > 0 || !mayEdit)) return null;
  const nextIsKey = !canChat;
  return (
    <Card aria-labelledby="first-steps" className="mb-4 animate-appear">
      <h2 id="first-steps" className="px-5 pt-5 font-semibold">
        Before your first chat
      </h2>
      <ol className="divide-y divide-border px-5 py-1">
        <Step
          number={1}
          done={canChat}
          title={`Add your ${providerNameIn('compound', provider)} API key`}
          text="It is stored encrypted and used only to call the provider."
        >
          <Link
            to="/settings"
            search={{ tab: 'api-keys' }}
            className={buttonClass({ variant: nextIsKey ? 'primary' : 'secondary', size: 'sm' })}
          >
            Add API key
          </Link>
        </Step>
        <Step
          number={2}
          done={assistants.length > 0}
          title="Create an assistant"
          text={reason ?? 'Give it a name, a model and instructions.'}
        >
          {mayEdit ? (
            <Link
              to="/settings"
              search={{ tab: 'assistants', view: 'create' }}
              className={buttonClass({ variant: nextIsKey ? 'secondary' : 'primary', size: 'sm' })}
            >
              Create assistant
            </Link>
          ) : (
            <Button size="sm" disabledReason={reason}>
              Create assistant
            </Button>
          )}
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
