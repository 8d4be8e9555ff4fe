import { type Dataset, DatasetName } from '@roster/contracts/fine-tuning/datasets';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { z } from 'zod';
import { useEditAccess } from '#web/api/current-user.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '#web/ui/menus/menu.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { useDeleteDataset, useRenameDataset } from './queries.ts';

type DatasetMenuProps = { dataset: Dataset; onDeleted?: () => void; variant?: 'ghost' | 'secondary' };

export function DatasetMenu({ dataset, onDeleted, variant }: DatasetMenuProps) {
  const [asked, setAsked] = useState<'rename' | 'delete' | null>(null);
  const { reason } = useEditAccess();
  const close = () => setAsked(null);
  return (
    <>
      <Menu
        trigger={
          <IconButton label={`Actions for ${dataset.name}`} tooltip="Actions" icon={Ellipsis} variant={variant} />
        }
      >
        <MenuItem icon={Pencil} disabledReason={reason} onSelect={() => setAsked('rename')}>
          Rename
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={Trash2} destructive disabledReason={reason} onSelect={() => setAsked('delete')}>
          Delete
        </MenuItem>
      </Menu>
      {asked === 'rename' && <RenameDialog dataset={dataset} onClose={close} />}
      {asked === 'delete' && (
        <DeleteDialog
          dataset={dataset}
          onClose={close}
          onDeleted={() => {
            close();
            onDeleted?.();
          }}
        />
      )}
    </>
  );
}

type DialogProps = { dataset: Dataset; onClose: () => void };

const RenameForm = z.object({ name: DatasetName });

function RenameDialog({ dataset, onClose }: DialogProps) {
  const form = useSchemaForm(RenameForm, { name: dataset.name }, { shouldFocusError: false });
  const rename = useRenameDataset();
  const submit = form.handleSubmit(({ name }) =>
    rename.mutate(
      { id: dataset.id, name },
      {
        onSuccess: onClose,
        onError: (error) => form.setError('name', { message: errorText(error, 'Please try again.') }),
      },
    ),
  );
  return (
    <FormDialog
      size="sm"
      title="Rename Dataset"
      action={['Rename', 'Saving...']}
      busy={rename.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" required error={form.formState.errors.name?.message}>
        {(control) => <Input {...control} {...form.register('name')} data-autofocus autoComplete="off" />}
      </Field>
    </FormDialog>
  );
}

function DeleteDialog({ dataset, onClose, onDeleted }: DialogProps & { onDeleted: () => void }) {
  const remove = useDeleteDataset();
  const confirm = () =>
    remove.mutate(dataset.id, {
      onSuccess: () => {
        toast({ title: 'Success', description: `${dataset.name} has been deleted.` });
        onDeleted();
      },
      onError: showFailure('Delete failed', 'Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Delete ${dataset.name}?`}
      description="This deletes its examples with your reviews and edits. Conversations, ratings and saved training files are kept. This action cannot be undone."
      confirmLabel="Delete"
      pendingLabel="Deleting..."
      destructive
      busy={remove.isPending}
      onConfirm={confirm}
    />
  );
}
