import { NewToolCommand } from '@roster/contracts/tool-servers/tool-servers';
import { type FormEvent, useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { focusFirstProblem } from '#web/lib/form-errors.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { useAddCommand } from './queries.ts';

type CommandDialogProps = { commands: string[]; onClose: () => void };

/** Adds a tool server that runs as a command on Roster's machine; the operator defines the commands. */
export function CommandDialog({ commands, onClose }: CommandDialogProps) {
  const [values, setValues] = useState({ name: '', command: commands[0] ?? '', isOffered: false });
  const [problem, setProblem] = useState<string>();
  const add = useAddCommand();
  const put = (changes: Partial<typeof values>) => setValues({ ...values, ...changes });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const found = NewToolCommand.safeParse(values).error?.issues.find(({ path }) => path[0] === 'name')?.message;
    setProblem(found);
    if (focusFirstProblem(event.currentTarget, found === undefined ? {} : { name: found })) return;
    add.mutate(values, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="Add Command"
      description="It runs on Roster’s machine while it is called, and ends when nobody has called it for five minutes."
      action={['Add Command', 'Adding...']}
      busy={add.isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'The command was not added', error: add.error }}
      className="grid gap-5"
    >
      <Field label="Name" required error={problem}>
        {(control) => (
          <Input
            {...control}
            name="name"
            data-autofocus
            autoComplete="off"
            dir="auto"
            value={values.name}
            onChange={({ target }) => put({ name: target.value })}
          />
        )}
      </Field>
      <Field label="Command" hint="As Roster’s operator has listed them.">
        {(control) => (
          <Select {...control} value={values.command} onChange={({ target }) => put({ command: target.value })}>
            {commands.map((command) => (
              <option key={command} value={command}>
                {command}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Checkbox
        label="Offer it to everybody"
        description="All people of this Roster may choose its tools. It runs for each of them in a process of their own."
        checked={values.isOffered}
        onChange={({ target }) => put({ isOffered: target.checked })}
      />
    </FormDialog>
  );
}
