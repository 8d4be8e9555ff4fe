import { useUser } from '#web/api/current-user.ts';
import { AssistantAvatar } from '#web/components/assistant-avatar.tsx';
import { ModelName } from '#web/components/model-name.tsx';
import { composerAt, useComposer } from '#web/features/chat/shared/composer-state.ts';
import type { ChatTarget } from '#web/features/chat/shared/use-assistants.ts';

/** Starters: pressing one sends it. Hidden while something else is being written. */
export function Starters({ place, starters }: { place: string; starters: readonly string[] }) {
  const { text } = useComposer(place);
  if (starters.length === 0 || text !== '') return null;
  return (
    <ul aria-label="Conversation starters" className="mt-6 flex max-w-xl flex-wrap justify-center gap-2">
      {[...new Set(starters)].map((starter) => (
        <li key={starter} className="min-w-0">
          <button
            type="button"
            dir="auto"
            onClick={() => composerAt(place).set({ text: starter, sendQueued: true })}
            className="min-h-10 rounded-lg border border-border bg-card px-3.5 py-2 text-start text-sm transition-colors duration-120 [overflow-wrap:anywhere] hover:border-border-strong hover:bg-hover"
          >
            {starter}
          </button>
        </li>
      ))}
    </ul>
  );
}

type GreetingProps = {
  /** Key of the composer that a starter is sent from. */
  place: string;
  chatTarget: ChatTarget | undefined;
  /** Number of models a message is sent to. */
  modelCount: number;
  /** Offers questions whose answers differ from model to model. */
  hasExamples?: boolean;
};

const examples = [
  'A bat and a ball cost $1.10 together. The bat costs $1 more than the ball. What does the ball cost?',
  'Explain to a ten-year-old how a vaccine works, in five sentences.',
  'Write a short, friendly email that moves our meeting from Tuesday to Thursday.',
];

/** Placeholder of an empty conversation: who answers, and starters. */
export function Greeting({ place, chatTarget, modelCount, hasExamples }: GreetingProps) {
  const firstName = useUser().name?.split(' ')[0];
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center overflow-y-auto px-6 py-8 text-center">
      {chatTarget && <AssistantAvatar {...chatTarget} className="mb-3 size-10" />}
      <p className="font-semibold text-xl tracking-[-0.012em]">
        {firstName ? `Hello ${firstName}, what` : 'What'} would you like to talk about?
      </p>
      {chatTarget && (
        <p className="mt-2 max-w-lg text-pretty text-muted-foreground [overflow-wrap:anywhere]">
          {modelCount > 0 ? (
            <>
              {modelCount} models answer side by side
              {chatTarget.assistantId !== null && (
                <>
                  , each with the instructions of <bdi className="text-foreground">{chatTarget.name}</bdi>
                </>
              )}
              .
            </>
          ) : chatTarget.assistantId === null ? (
            chatTarget.model === null ? (
              'The default model answers, without an assistant’s instructions.'
            ) : (
              <>
                The model{' '}
                <span className="font-mono text-foreground text-sm">
                  {chatTarget.model !== null && <ModelName model={chatTarget.model} />}
                </span>{' '}
                answers, without an assistant’s instructions.
              </>
            )
          ) : (
            <>
              <bdi className="text-foreground">{chatTarget.name}</bdi> answers with{' '}
              <span className="font-mono text-foreground text-sm">
                {chatTarget.model !== null && <ModelName model={chatTarget.model} />}
              </span>
              .
            </>
          )}
        </p>
      )}
      {modelCount === 0 && chatTarget?.description && (
        <p dir="auto" className="mt-1 line-clamp-3 max-w-lg text-muted-foreground">
          {chatTarget.description}
        </p>
      )}
      {modelCount === 0 && <Starters place={place} starters={chatTarget?.starters ?? []} />}
      {modelCount > 0 && hasExamples && <Starters place={place} starters={examples} />}
    </div>
  );
}
