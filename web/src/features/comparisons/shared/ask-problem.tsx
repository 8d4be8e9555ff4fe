import { RefusalNotice } from '#web/components/refusal-notice.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { Notice } from '#web/ui/states/notice.tsx';

type AskProblemProps = { error: unknown; isWaiting: boolean; onAskAnyway: () => void };

/** Explains why nothing was asked, and what to do. */
export function AskProblem({ error, isWaiting, onAskAnyway }: AskProblemProps) {
  if (isWaiting)
    return (
      <Notice live title="Waiting">
        {errorText(error)} It continues automatically.
      </Notice>
    );
  return (
    <RefusalNotice error={error} title="Failed to ask the models" overrideLabel="Ask anyway" onOverride={onAskAnyway} />
  );
}
