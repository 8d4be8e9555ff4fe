import { RefusalNotice } from '#web/components/refusal-notice.tsx';
import { UnfinishedStartError } from '#web/features/chat/shared/mutations.ts';

type SendFailureProps = { error: unknown; onSendOverBudget: () => void };

/** Why a message was not sent; shown above the composer, which still has it. */
export function SendFailure({ error, onSendOverBudget }: SendFailureProps) {
  return (
    <RefusalNotice
      error={error instanceof UnfinishedStartError ? error.cause : error}
      title="Failed to send the message"
      kept="Your text is kept here."
      overrideLabel="Send anyway"
      onOverride={onSendOverBudget}
      className="mb-2"
    />
  );
}
