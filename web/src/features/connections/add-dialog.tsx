import { type ConnectionPreset, type LocalServer, NewConnection } from '@roster/contracts/connections/connections';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { connectionsQuery } from '#web/api/connections.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { problemsSchema, useSchemaForm } from '#web/lib/schema-form.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { type FieldsProps, KeyField, secondsOf, TextField, type Values, WaitField } from './connection-fields.tsx';
import { HeaderFields } from './header-fields.tsx';
import { newHeaders } from './header-rows.ts';
import { PresetChoice } from './preset-choice.tsx';
import { PresetMark } from './preset-mark.tsx';
import { useAddConnection } from './queries.ts';

type Chosen = { preset: ConnectionPreset; baseUrl: string };

/** Adds a connection: first the provider, then its name, address and key. */
export function AddDialog({ onClose }: { onClose: () => void }) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  if (chosen) return <DetailsDialog {...chosen} onBack={() => setChosen(null)} onClose={onClose} />;
  const choose = (preset: ConnectionPreset, server?: LocalServer) =>
    setChosen({ preset, baseUrl: server?.baseUrl ?? preset.baseUrl ?? '' });
  return (
    <Dialog open onOpenChange={onClose} size="lg" title="Add Connection" description="Choose the provider.">
      <PresetChoice onChoose={choose} />
    </Dialog>
  );
}

/** The preset's name, numbered if it is taken. */
export function freeName(name: string, taken: readonly string[]): string {
  const used = new Set(taken.map((one) => one.toLowerCase()));
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} ${number}`;
    if (!used.has(candidate.toLowerCase())) return candidate;
  }
}

export const draftOf = ({ id }: ConnectionPreset, { name, baseUrl, key, firstTokenSeconds, headers }: Values) => ({
  preset: id,
  name,
  ...(baseUrl.trim() !== '' && { baseUrl }),
  ...(key !== '' && { key }),
  firstTokenSeconds: secondsOf(firstTokenSeconds),
  headers: newHeaders(headers),
});

export function problemsOf(preset: ConnectionPreset, values: Values) {
  const found: Partial<Record<keyof Values, string>> = {};
  const { error } = NewConnection.safeParse(draftOf(preset, values));
  for (const { path, message } of error?.issues ?? [])
    if (path[0] === 'firstTokenSeconds') found.firstTokenSeconds ??= 'Enter a whole number from 10 to 7200';
    else if (path[0] === 'name' || path[0] === 'key' || path[0] === 'baseUrl' || path[0] === 'headers')
      found[path[0]] ??= message;
  if (preset.key === 'needed' && values.key === '') found.key ??= 'Enter a key';
  if (values.baseUrl.trim() === '')
    found.baseUrl ??= `Enter the address${preset.example ? `, such as ${preset.example}` : ''}`;
  return found;
}

const isPrivate = ({ baseUrl, id }: ConnectionPreset) =>
  baseUrl === null || ['ollama', 'lm-studio', 'llama-cpp'].includes(id);

type DetailsDialogProps = Chosen & { onBack: () => void; onClose: () => void };

function DetailsDialog({ preset, baseUrl, onBack, onClose }: DetailsDialogProps) {
  const names = useQuery(connectionsQuery).data?.connections.map(({ name }) => name) ?? [];
  const [schema] = useState(() => problemsSchema((values: Values) => problemsOf(preset, values)));
  const name = preset.id === 'other' ? '' : freeName(preset.name.replaceAll('/', ' '), names);
  const form = useSchemaForm(schema, { name, baseUrl, key: '', firstTokenSeconds: '', headers: [] });
  const add = useAddConnection();
  const submit = form.handleSubmit((values) =>
    add.mutate(draftOf(preset, values), {
      onSuccess: (made) => {
        onClose();
        toast({
          title: 'Connection added',
          description: made.notice ?? `You can now use the models of “${made.name}”.`,
        });
      },
      onError: (error) => void showFieldErrors(form, error),
    }),
  );
  return (
    <FormDialog
      title={preset.id === 'other' ? 'Add Connection' : `Connect ${preset.name}`}
      description="Roster asks the provider for its list of models before it saves the key."
      action={['Add Connection', 'Adding...']}
      busy={add.isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Failed to add the connection', error: add.error }}
      className="grid gap-5"
    >
      <DraftFields preset={preset} form={form} onBack={onBack} />
    </FormDialog>
  );
}

type DraftFieldsProps = FieldsProps & { preset: ConnectionPreset; onBack: () => void };

export function DraftFields({ preset, form, onBack }: DraftFieldsProps) {
  return (
    <>
      <div className="flex items-center gap-3">
        <PresetMark preset={preset.id} />
        <span className="min-w-0 flex-1 font-medium">{preset.name}</span>
        <Button size="sm" variant="ghost" onClick={onBack}>
          Choose another
        </Button>
      </div>
      {preset.notice && <Notice tone="info">{preset.notice}</Notice>}
      <TextField form={form} label="Name" name="name" autoFocus hint="Programs address its models as name/model." />
      {isPrivate(preset) && (
        <TextField
          form={form}
          label="Base URL"
          name="baseUrl"
          hint={preset.example ? `For example ${preset.example}` : undefined}
        />
      )}
      {preset.key !== 'none' && (
        <KeyField
          form={form}
          isOptional={preset.key !== 'needed'}
          keyPage={preset.keyPage}
          hint={
            preset.key === 'needed' ? 'Stored encrypted, never shown again.' : 'Leave empty if the server needs none.'
          }
        />
      )}
      {isPrivate(preset) && <WaitField form={form} />}
      <HeaderFields form={form} />
    </>
  );
}
