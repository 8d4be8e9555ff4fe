import { useQuery } from '@tanstack/react-query';
import { userConfigQuery } from '#web/api/user-config.ts';
import { isBudgetError } from '#web/lib/budget-error.ts';
import { BudgetNotice } from './budget-notice.tsx';
import { MissingKeyNotice } from './missing-key-notice.tsx';
import { MultiModelNotice } from './multi-model-notice.tsx';
import { SendFailure } from './send-failure.tsx';

type ComposerNoticesProps = {
  /** The models that the next question goes to, where it goes to several. */
  several: readonly string[];
  onAskOne: () => void;
  /** Why the last one was not sent. */
  failure: unknown;
  onSendOverBudget: () => void;
  /** Says so where no key is saved. */
  needsKey?: boolean;
  assistantId: number | null;
  isAnswering: boolean;
};

/** What should be known before the next message is sent. */
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
