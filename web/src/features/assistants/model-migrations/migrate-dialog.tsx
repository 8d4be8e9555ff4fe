import {
  type MigrationPlan,
  migrationSelectionLimit,
  type UnsupportedSetting,
} from '@roster/contracts/assistants/model-migrations';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { modelMigrationPlanQuery, useMigrateModels } from '#web/api/model-migrations.ts';
import { useModelName } from '#web/api/use-model-name.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Notice } from '#web/ui/states/notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { AssistantSelection, type SelectedAssistants } from './assistant-selection.tsx';
import { PriceComparison } from './price-comparison.tsx';
import { NewModelField, useReplacementModel } from './replacement-model.tsx';
import { UnsupportedSettings } from './unsupported-settings.tsx';

export type MigrateDialogProps = {
  fromModel: string;
  /** The catalogue's replacement, preselected if the key can use it. */
  successor: string | null;
  /** The only assistant selected at first; undefined for all. */
  only?: number | undefined;
  onClose: () => void;
};

/** Migrates assistants to a model chosen here, after showing what changes. */
export function MigrateDialog({ fromModel, successor, only, onClose }: MigrateDialogProps) {
  const model = useReplacementModel(fromModel, successor);
  const { toModel } = model;
  const fromName = useModelName(fromModel);
  const { reason } = useEditAccess();
  const [chosen, setChosen] = useState<SelectedAssistants>(only === undefined ? 'all' : new Set([only]));
  const plan = useQuery({ ...modelMigrationPlanQuery(fromModel, toModel), enabled: model.isKnown });
  const move = useMigrateModels();
  const count = chosen === 'all' ? (plan.data?.count ?? 0) : chosen.size;
  const submit = () =>
    move.mutate(
      { fromModel, toModel, ...(chosen !== 'all' && { assistantIds: [...chosen] }) },
      { onSuccess: () => onClose() },
    );
  return (
    <FormDialog
      title="Migrate to a successor"
      description={`Assistants that use ${fromName} switch to another model. Nothing else changes, and you can undo this.`}
      size="md"
      action={[count > 0 ? `Migrate ${formatCount(count, 'assistant')}` : 'Migrate', 'Migrating...']}
      busy={move.isPending}
      disabledReason={reason ?? model.missing ?? whyNot(plan.data, count)}
      failed={{ title: 'Failed to migrate the assistants', error: move.error }}
      onSubmit={submit}
      onClose={onClose}
      className="grid gap-5"
    >
      <NewModelField {...model} />
      {plan.isPending && toModel !== '' && <SpinnerPanel label="Loading assistants" />}
      {plan.isError && (
        <Notice tone="destructive" live>
          {errorText(plan.error)}
        </Notice>
      )}
      {plan.data && (
        <>
          <PriceComparison fromModel={fromModel} toModel={toModel} usage={plan.data.usage} />
          <UnsupportedSettings toModel={toModel} list={model.list} {...countUnsupported(plan.data, chosen)} />
          <AssistantSelection fromModel={fromModel} plan={plan.data} chosen={chosen} onChoose={setChosen} />
        </>
      )}
    </FormDialog>
  );
}

function whyNot(plan: MigrationPlan | undefined, count: number): string | undefined {
  if (!plan) return 'The assistants are still loading';
  if (count === 0) return 'Please select at least one assistant';
  return count > migrationSelectionLimit && plan.count !== count
    ? `At most ${migrationSelectionLimit} can be chosen`
    : undefined;
}

/** Number of selected assistants with parameters that the new model does not accept. */
function countUnsupported(
  { assistants, withoutTemperature, withoutEffort }: MigrationPlan,
  chosen: SelectedAssistants,
) {
  if (chosen === 'all') return { temperatures: withoutTemperature, efforts: withoutEffort };
  const among = assistants.filter(({ id }) => chosen.has(id));
  const countOf = (name: UnsupportedSetting) => among.filter(({ notTaken }) => notTaken.includes(name)).length;
  return { temperatures: countOf('temperature'), efforts: countOf('reasoningEffort') };
}
