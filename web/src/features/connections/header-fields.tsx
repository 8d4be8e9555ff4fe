import { headersPerConnection } from '@roster/contracts/connections/headers';
import { Plus, Trash2 } from 'lucide-react';
import { useId } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import type { FieldsProps } from './connection-fields.tsx';
import { emptyHeader, type HeaderRow } from './header-rows.ts';

/** A connection's own headers, folded until there are some. */
export function HeaderFields({ form }: FieldsProps) {
  const id = useId();
  const rows = form.watch('headers');
  const problem = form.formState.errors.headers?.message;
  const set = (next: HeaderRow[]) => form.setValue('headers', next);
  const change = (at: number, more: Partial<HeaderRow>) =>
    set(rows.map((row, index) => (index === at ? { ...row, ...more } : row)));
  const isOpen = problem !== undefined || rows.length > 0;
  return (
    <details open={isOpen || undefined} className="rounded-md border border-border">
      <summary className="rounded-md px-3.5 py-2.5 font-medium">
        Advanced <span className="font-normal text-muted-foreground">(headers of a gateway)</span>
      </summary>
      <fieldset aria-describedby={problem && `${id}-problem`} className="grid gap-5 px-3.5 pt-1 pb-3.5 sm:gap-3">
        <legend className="sr-only">Headers</legend>
        <p className="text-muted-foreground text-sm">
          Sent with each request, only to this address. Values are stored encrypted and never shown again.
        </p>
        {rows.map((row, at) => (
          <HeaderLine
            key={row.id}
            row={row}
            number={at + 1}
            onChange={(more) => change(at, more)}
            onRemove={() => set(rows.toSpliced(at, 1))}
          />
        ))}
        {problem && (
          <p id={`${id}-problem`} role="alert" className="text-destructive-text text-sm">
            {problem}
          </p>
        )}
        {rows.length < headersPerConnection && (
          <Button
            size="sm"
            variant="ghost"
            icon={Plus}
            className="justify-self-start"
            onClick={() => set([...rows, emptyHeader()])}
          >
            Add Header
          </Button>
        )}
      </fieldset>
    </details>
  );
}

type HeaderLineProps = {
  row: HeaderRow;
  number: number;
  onChange: (more: Partial<HeaderRow>) => void;
  onRemove: () => void;
};

function HeaderLine({ row: { name, value, isKept }, number, onChange, onRemove }: HeaderLineProps) {
  const called = isKept ? name : `header ${number}`;
  return (
    <div className="flex items-start gap-2">
      <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-2">
        <Input
          aria-label={`Name of ${called}`}
          placeholder="x-portkey-provider"
          autoComplete="off"
          spellCheck={false}
          dir="ltr"
          readOnly={isKept}
          value={name}
          onChange={({ target }) => onChange({ name: target.value })}
          className="font-mono"
        />
        <SecretInput
          what={`value of ${called}`}
          aria-label={`Value of ${called}`}
          placeholder={isKept ? 'Unchanged' : 'Value'}
          autoComplete="off"
          dir="ltr"
          value={value}
          onChange={({ target }) => onChange({ value: target.value })}
          className="font-mono"
        />
      </div>
      <IconButton label={`Remove ${called}`} icon={Trash2} onClick={onRemove} />
    </div>
  );
}
