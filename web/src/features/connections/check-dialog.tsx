import type { AbilityCheck, Connection } from '@roster/contracts/connections/connections';
import { type ReactNode, useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { Badge } from '#web/ui/badge.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { abilityNames, resultNames } from './labels.ts';
import { useCheckConnection } from './queries.ts';
import { Refusals } from './refusals.tsx';

/** Tries what the provider can do, and shows the last results with their reasons. */
export function CheckDialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const check = useCheckConnection();
  return (
    <CheckForm connection={connection} check={check} onClose={onClose}>
      <Refusals connectionId={connection.id} />
    </CheckForm>
  );
}

type CheckFormProps = {
  connection: Connection;
  check: Pick<ReturnType<typeof useCheckConnection>, 'isPending' | 'error'> & {
    mutate: (asked: { id: number; model?: string | undefined }) => void;
  };
  onClose: () => void;
  children?: ReactNode;
};

export function CheckForm({ connection, check, onClose, children }: CheckFormProps) {
  const { id, name, checks, isPaused } = connection;
  const [model, setModel] = useState('');
  const typed = model.trim();
  return (
    <FormDialog
      size="lg"
      title={
        <>
          Check “<bdi>{name}</bdi>”
        </>
      }
      description="Sends a few short requests, which the provider may bill (a few hundred tokens). This takes up to a minute."
      action={[checks.length > 0 ? 'Check Again' : 'Check', 'Checking...']}
      disabledReason={isPaused ? 'Resume the connection first.' : undefined}
      busy={check.isPending}
      onSubmit={() => check.mutate({ id, model: typed === '' ? undefined : typed })}
      onClose={onClose}
      failed={{ title: 'Failed to check the connection', error: check.error }}
      className="grid gap-5"
    >
      <Field label="Model to try" hint="Leave empty for the first chat model in the provider’s list.">
        {(control) => (
          <Input
            {...control}
            value={model}
            onChange={({ target }) => setModel(target.value)}
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            dir="ltr"
          />
        )}
      </Field>
      {checks.length > 0 && <Results checks={checks} />}
      {children}
    </FormDialog>
  );
}

function Results({ checks }: { checks: readonly AbilityCheck[] }) {
  return (
    <table className="w-full text-start text-sm">
      <caption className="sr-only">Results of the last check</caption>
      <thead className="text-muted-foreground max-sm:sr-only">
        <tr className="border-border border-b">
          <th scope="col" className="py-2 pe-4 text-start font-medium">
            Ability
          </th>
          <th scope="col" className="py-2 pe-4 text-start font-medium">
            Result
          </th>
          <th scope="col" className="py-2 text-start font-medium">
            Reason
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-border">
        {checks.map((check) => (
          <ResultRow key={check.ability} check={check} />
        ))}
      </tbody>
    </table>
  );
}

function ResultRow({ check: { ability, result, reason } }: { check: AbilityCheck }) {
  const [name, use] = abilityNames[ability];
  const [text, tone] = resultNames[result];
  return (
    <tr className="align-top max-sm:flex max-sm:flex-wrap max-sm:items-start max-sm:gap-x-3 max-sm:py-2">
      <th scope="row" className="py-2 pe-4 text-start font-medium max-sm:flex-1 max-sm:p-0">
        {name}
        <span className="block font-normal text-muted-foreground">{use}</span>
      </th>
      <td className="py-2 pe-4 max-sm:p-0">
        <Badge tone={tone}>{text}</Badge>
      </td>
      <td className="wrap-anywhere py-2 text-muted-foreground max-sm:basis-full max-sm:p-0 max-sm:pt-1">
        <bdi>{reason}</bdi>
      </td>
    </tr>
  );
}
