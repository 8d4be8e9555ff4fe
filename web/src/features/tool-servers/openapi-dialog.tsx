import type { ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { problemsSchema, useSchemaForm } from '#web/lib/schema-form.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { AccessFields, BaseUrlField, DescriptionFields, NameField } from './openapi-fields.tsx';
import { pastedDescriptionQuery, useAddOpenApiServer, useChangeOpenApiServer } from './openapi-queries.ts';
import { changesOf, draftOf, fieldOf, problemsOf, type Values, valuesOf } from './openapi-values.ts';
import { Offer } from './server-dialog.tsx';

type OpenApiDialogProps = { server?: ToolServer; onClose: () => void };

const title = (server: ToolServer | undefined) =>
  server ? 'Edit Tool Server' : 'Add Tools from an OpenAPI Description';

/** Adds or edits a server with an OpenAPI description; a pasted description is loaded first. */
export function OpenApiDialog({ server, onClose }: OpenApiDialogProps) {
  const isPasted = server?.openApi?.descriptionUrl === null;
  const query = useQuery({ ...pastedDescriptionQuery(server?.id ?? 0), enabled: isPasted });
  if (!isPasted) return <OpenApiForm server={server} text="" onClose={onClose} />;
  if (query.isSuccess) return <OpenApiForm server={server} text={query.data.text} onClose={onClose} />;
  return (
    <Dialog open onOpenChange={onClose} title={title(server)} footer={<Button onClick={onClose}>Cancel</Button>}>
      {query.isPending && <SpinnerPanel label="Loading the description" />}
      {query.isError && (
        <RetryNotice tone="destructive" live query={query}>
          {errorText(query.error, 'Failed to load the description.')}
        </RetryNotice>
      )}
    </Dialog>
  );
}

type OpenApiFormProps = { server: ToolServer | undefined; text: string; onClose: () => void };

function OpenApiForm({ server, text, onClose }: OpenApiFormProps) {
  const [before] = useState(() => valuesOf(server, text));
  const [schema] = useState(() => problemsSchema((values: Values) => problemsOf(values, server)));
  const form = useSchemaForm(schema, before);
  // In page order, which decides what gets focus first: fields registered later would come last.
  for (const name of ['name', 'text', 'descriptionUrl', 'baseUrl', 'authName', 'authValue'] as const)
    form.register(name);
  const add = useAddOpenApiServer();
  const change = useChangeOpenApiServer(server?.id ?? 0);
  const { isPending, error } = server ? change : add;
  const submit = form.handleSubmit((values) => {
    const answered = {
      onSuccess: onClose,
      onError: (failure: Error) => void showFieldErrors(form, failure, fieldOf),
    };
    if (server) change.mutate(changesOf(values, before), answered);
    else add.mutate(draftOf(values), answered);
  });
  return (
    <FormDialog
      title={title(server)}
      description="Each operation in the description becomes a tool. Roster calls the service directly."
      action={server ? ['Save Changes', 'Saving...'] : ['Add Server', 'Adding...']}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: server ? 'Failed to update the tool server' : 'Failed to add the tool server', error }}
      className="grid gap-5"
    >
      <NameField form={form} />
      <DescriptionFields form={form} />
      <BaseUrlField form={form} />
      <AccessFields form={form} server={server} />
      <Offer isOffered={form.watch('isOffered')} onChange={(next) => form.setValue('isOffered', next)} />
    </FormDialog>
  );
}
