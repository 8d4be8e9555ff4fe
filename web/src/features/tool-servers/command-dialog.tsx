import { NewToolCommand, type ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { useAddCommand } from './queries.ts';

type CommandDialogProps = { commands: string[]; onClose: () => void; onAdded: (server: ToolServer) => void };

/** Adds a tool server that runs as a command on Roster's machine; the operator defines the commands. */
export function CommandDialog({ commands, onClose, onAdded }: CommandDialogProps) {
  const form = useSchemaForm(NewToolCommand, { name: '', command: commands[0] ?? '', isOffered: false });
  const add = useAddCommand();
  const submit = form.handleSubmit((command) => add.mutate(command, { onSuccess: onAdded }));
  return (
    <FormDialog
      title="Add Command"
      description="Runs on Roster’s machine when called, and stops after five minutes without a call."
      action={['Add Command', 'Adding...']}
      busy={add.isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Failed to add the command', error: add.error }}
      className="grid gap-5"
    >
      <Field label="Name" required error={form.formState.errors.name?.message}>
        {(control) => <Input {...control} {...form.register('name')} data-autofocus autoComplete="off" dir="auto" />}
      </Field>
      <Field label="Command" hint="Commands allowed by Roster’s operator.">
        {(control) => (
          <Select {...control} {...form.register('command')}>
            {commands.map((command) => (
              <option key={command} value={command}>
                {command}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Checkbox
        {...form.register('isOffered')}
        label="Share with everyone"
        description="Everyone here can use its tools. It runs in a separate process for each person."
      />
    </FormDialog>
  );
}
