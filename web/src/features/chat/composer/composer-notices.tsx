import { useCanChat } from '#web/api/can-chat.ts';
import { modelName } from '#web/api/model-names.ts';
import { SettingsLink } from '#web/components/settings-link.tsx';
import { isBudgetError } from '#web/lib/budget-error.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { BudgetNotice } from './budget-notice.tsx';
import { SendFailure } from './send-failure.tsx';

type SeveralNoticeProps = { models: readonly string[]; onClear: () => void };

/** Warns about the cost before a question is sent to several models. */
function SeveralNotice({ models, onClear }: SeveralNoticeProps) {
  if (models.length === 0) return null;
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-border bg-card px-3 py-2 text-sm">
      <output className="wrap-anywhere min-w-0 flex-1 basis-52 text-muted-foreground">
        Asks {models.length} models; each answer is billed:{' '}
        <bdi className="font-mono text-foreground text-xs">{models.map(modelName).join(', ')}</bdi>
      </output>
      <Button size="sm" variant="ghost" className="max-md:h-10" onClick={onClear}>
        Back to one model
      </Button>
    </div>
  );
}

function MissingKeyNotice() {
  return (
    <Notice title="An API key is needed to chat" className="mb-2" action={<SettingsLink />}>
      Answers come from your own account at the provider. Save its API key in Settings first.
    </Notice>
  );
}

type ComposerNoticesProps = {
  /** Models that the next message is sent to, if several. */
  selectedModels: readonly string[];
  onAskOne: () => void;
  /** Why the last message was not sent. */
  failure: unknown;
  onSendOverBudget: () => void;
  /** Shows a notice if neither a key nor a connection is saved. */
  needsKey?: boolean;
  assistantId: number | null;
  projectId?: number | undefined;
  isAnswering: boolean;
};

/** Notices above the composer. */
export function ComposerNotices(props: ComposerNoticesProps) {
  const { selectedModels, onAskOne, failure, onSendOverBudget, needsKey = false, ...budgetScope } = props;
  const lacksKey = useCanChat(needsKey) === false && needsKey && !failure;
  return (
    <>
      <SeveralNotice models={selectedModels} onClear={onAskOne} />
      {lacksKey ? (
        <MissingKeyNotice />
      ) : (
        <>
          {failure ? <SendFailure error={failure} onSendOverBudget={onSendOverBudget} /> : null}
          {!isBudgetError(failure) && <BudgetNotice {...budgetScope} />}
        </>
      )}
    </>
  );
}
