import { type Connection, ConnectionChange } from '@roster/contracts/connections/connections';
import { useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { problemsSchema, useSchemaForm } from '#web/lib/schema-form.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import {
  editedValues,
  fixedAddress,
  KeyField,
  keptKeyHint,
  secondsOf,
  TextField,
  type Values,
  WaitField,
} from './connection-fields.tsx';
import { HeaderFields } from './header-fields.tsx';
import { changedHeaders } from './header-rows.ts';
import { useChangeConnection } from './queries.ts';

export const changeOf = ({ name, key, firstTokenSeconds, headers }: Values, headerNames: readonly string[]) => ({
  name,
  firstTokenSeconds: secondsOf(firstTokenSeconds),
  ...(key !== '' && { key }),
  headers: changedHeaders(headers, headerNames),
});

export function problemsOfChange(values: Values) {
  const found: Partial<Record<keyof Values, string>> = {};
  const { error } = ConnectionChange.safeParse(changeOf(values, []));
  for (const { path, message } of error?.issues ?? [])
    if (path[0] === 'firstTokenSeconds') found.firstTokenSeconds ??= 'Enter a whole number from 10 to 7200';
    else if (path[0] === 'name' || path[0] === 'key' || path[0] === 'headers') found[path[0]] ??= message;
  return found;
}

const schema = problemsSchema(problemsOfChange);

export const RemoveKey = ({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) => (
  <Checkbox
    label="Remove the key"
    description="Requests are then sent without one."
    checked={checked}
    onChange={({ target }) => onChange(target.checked)}
  />
);

/** Renames a connection, replaces its key and changes how it is called. Its address stays. */
export function EditDialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const { id, hasKey, api } = connection;
  const form = useSchemaForm(schema, editedValues(connection));
  const [isChatOnly, setChatOnly] = useState(api === 'chat');
  const [removesKey, setRemovesKey] = useState(false);
  const change = useChangeConnection();
  const submit = form.handleSubmit((values) => {
    const kept = api === 'chat' ? 'auto' : api;
    change.mutate(
      {
        id,
        ...changeOf(values, connection.headerNames),
        ...(removesKey && { key: null }),
        api: isChatOnly ? 'chat' : kept,
      },
      { onSuccess: onClose, onError: (error) => void showFieldErrors(form, error) },
    );
  });
  return (
    <FormDialog
      title="Edit Connection"
      description={fixedAddress(connection)}
      action={['Save Changes', 'Saving...']}
      busy={change.isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Failed to update the connection', error: change.error }}
      className="grid gap-5"
    >
      <TextField form={form} label="Name" name="name" autoFocus />
      {!removesKey && <KeyField form={form} isOptional hint={keptKeyHint(connection)} />}
      {hasKey && <RemoveKey checked={removesKey} onChange={setRemovesKey} />}
      <WaitField form={form} />
      <HeaderFields form={form} />
      <Checkbox
        label="Use Chat Completions only"
        description="For providers that answer the Responses API incorrectly. Otherwise Roster uses it where it works."
        checked={isChatOnly}
        onChange={({ target }) => setChatOnly(target.checked)}
      />
    </FormDialog>
  );
}
