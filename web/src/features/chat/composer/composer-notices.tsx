import { useQuery } from '@tanstack/react-query';
import { userConfigQuery } from '#web/api/user-config.ts';
import { isBudgetError } from '#web/lib/budget-error.ts';
import { BudgetNotice } from './budget-notice.tsx';
import { MissingKeyNotice } from './missing-key-notice.tsx';
import { MultiModelNotice } from './multi-model-notice.tsx';
import { SendFailure } from './send-failure.tsx';

type ComposerNoticesProps = {
  /** Models that the next question is sent to, if several. */
  several: readonly string[];
  onAskOne: () => void;
  /** Why the last message was not sent. */
  failure: unknown;
  onSendOverBudget: () => void;
  /** Shows a notice that no key is saved. */
  needsKey?: boolean;
  assistantId: number | null;
  isAnswering: boolean;
};

/** Notices above the composer. */
export function ComposerNotices(props: ComposerNoticesProps) {
  const { several, onAskOne, failure, onSendOverBudget, needsKey = false, assistantId, isAnswering } = props;
  const { data: config } = useQuery({ ...userConfigQuery, enabled: needsKey });
  const lacksKey = needsKey && config?.hasApiKey === false && !failure;
  return (
    <>
      <MultiModelNotice models={several} onClear={onAskOne} />
      {lacksKey ? (
        <MissingKeyNotice />
      ) : (
        <>
          {failure ? <SendFailure error={failure} onSendOverBudget={onSendOverBudget} /> : null}
          {!isBudgetError(failure) && <BudgetNotice assistantId={assistantId} isAnswering={isAnswering} />}
        </>
      )}
    </>
  );
}
