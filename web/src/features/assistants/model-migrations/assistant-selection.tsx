import {
  type MigrationPlan,
  migrationLimit,
  migrationSelectionLimit,
  type UnsupportedSetting,
} from '@roster/contracts/assistants/model-migrations';
import { modelName } from '#web/api/model-names.ts';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';

/** Ids of assistants to migrate. */
export type SelectedAssistants = 'all' | ReadonlySet<number>;

type MovedAssistantsProps = {
  fromModel: string;
  plan: MigrationPlan;
  chosen: SelectedAssistants;
  onChoose: (chosen: SelectedAssistants) => void;
};

const parameterTexts: Record<UnsupportedSetting, string> = {
  temperature: 'temperature will be ignored',
  reasoningEffort: 'reasoning effort will be removed',
};

/** Selects which assistants using the model are migrated. */
export function AssistantSelection({ fromModel, plan, chosen, onChoose }: MovedAssistantsProps) {
  const { count, assistants } = plan;
  if (count === 0) return <p className="text-muted-foreground">{`No assistant uses ${modelName(fromModel)}.`}</p>;
  const isChosen = (id: number) => chosen === 'all' || chosen.has(id);
  const listed = assistants.map(({ id }) => id);
  const choose = (id: number, on: boolean) => {
    const others = listed.filter((other) => other !== id && isChosen(other));
    const next = on ? [...others, id] : others;
    onChoose(next.length === count ? 'all' : new Set(next.slice(0, migrationSelectionLimit)));
  };
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-medium">Assistants</legend>
      <div className="rounded-md border border-border">
        <div className="border-border border-b">
          <Checkbox
            className="px-3.5 py-2.5 max-md:py-3"
            label={`All ${formatNumber(count)}`}
            checked={chosen === 'all'}
            onChange={(event) => onChoose(event.currentTarget.checked ? 'all' : new Set())}
          />
        </div>
        <ul aria-label={`Assistants that use ${modelName(fromModel)}`} className="max-h-56 overflow-y-auto py-1">
          {assistants.map(({ id, name, notTaken }) => (
            <li key={id}>
              <Checkbox
                className="px-3.5 py-1.5 max-md:py-2.5"
                label={<bdi className="wrap-anywhere">{name}</bdi>}
                description={notTaken.length > 0 && sentenceOf(notTaken)}
                checked={isChosen(id)}
                onChange={(event) => choose(id, event.currentTarget.checked)}
              />
            </li>
          ))}
        </ul>
      </div>
      <Bounds count={count} listed={assistants.length} />
    </fieldset>
  );
}

function sentenceOf(notTaken: readonly UnsupportedSetting[]): string {
  const text = notTaken.map((name) => parameterTexts[name]).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Bounds({ count, listed }: { count: number; listed: number }) {
  if (count <= listed) return null;
  return (
    <p className="mt-1.5 text-muted-foreground text-sm">
      {`Only the newest ${formatNumber(listed)} are listed. To include the others, choose all.`}
      {count > migrationLimit &&
        ` ${formatCount(migrationLimit, 'assistant')} can be migrated at a time. Repeat for the rest.`}
    </p>
  );
}
