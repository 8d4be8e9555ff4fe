import { useUser } from '#web/api/current-user.ts';
import { AssistantAvatar } from '#web/components/assistant-avatar.tsx';
import type { Answerer } from '#web/features/chat/shared/use-assistants.ts';
import { Starters } from './starters.tsx';

type GreetingProps = {
  /** Key of the composer that a starter is sent from. */
  place: string;
  answerer: Answerer | undefined;
  /** Number of models a message is sent to. */
  several: number;
};

/** Placeholder of an empty conversation: who answers, and starters. */
export function Greeting({ place, answerer, several }: GreetingProps) {
  const firstName = useUser().name?.split(' ')[0];
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center overflow-y-auto px-6 py-8 text-center">
      {answerer && <AssistantAvatar {...answerer} className="mb-3 size-10" />}
      <p className="font-semibold text-xl tracking-[-0.012em]">
        {firstName ? `Hello ${firstName}, what` : 'What'} would you like to talk about?
      </p>
      {answerer && (
        <p className="mt-2 max-w-lg text-pretty text-muted-foreground [overflow-wrap:anywhere]">
          {several > 0 ? (
            <>
              {several} models answer side by side
              {answerer.assistantId !== null && (
                <>
                  , each with the instructions of <bdi className="text-foreground">{answerer.name}</bdi>
                </>
              )}
              .
            </>
          ) : answerer.assistantId === null ? (
            answerer.model === null ? (
              'The default model answers, without an assistant’s instructions.'
            ) : (
              <>
                The model <span className="font-mono text-foreground text-sm">{answerer.model}</span> answers, without
                an assistant’s instructions.
              </>
            )
          ) : (
            <>
              <bdi className="text-foreground">{answerer.name}</bdi> answers with{' '}
              <span className="font-mono text-foreground text-sm">{answerer.model}</span>.
            </>
          )}
        </p>
      )}
      {several === 0 && answerer?.description && (
        <p dir="auto" className="mt-1 line-clamp-3 max-w-lg text-muted-foreground">
          {answerer.description}
        </p>
      )}
      {several === 0 && <Starters place={place} starters={answerer?.starters ?? []} />}
    </div>
  );
}
