import { NewToolServer, type ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import { useState } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { problemsSchema, useSchemaForm } from '#web/lib/schema-form.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { AccessFields, authOf, type FieldsProps, TextField, type Values } from './access-fields.tsx';
import { KnownServerList } from './known-server-list.tsx';
import type { KnownServer } from './known-servers.ts';
import { useAddServer, useChangeServer } from './queries.ts';

type ServerDialogProps = {
  server?: ToolServer;
  onClose: () => void;
  /** Called instead of `onClose` after a server was added. */
  onAdded?: (server: ToolServer) => void;
};
const valuesOf = (server: ToolServer | undefined): Values => ({
  name: server?.name ?? '',
  url: server?.url ?? '',
  authType: server === undefined || server.auth.type === 'query' ? 'none' : server.auth.type,
  headerName: (server?.auth.type === 'header' && server.auth.name) || 'Authorization',
  headerValue: '',
  clientId: (server?.auth.type === 'oauth' && server.auth.name) || '',
  clientSecret: '',
  isOffered: server?.isOffered ?? false,
});

/** Maps a field path of the contract to a form field. */
const fieldOf = (path: string): keyof Values | undefined =>
  new Map<string, keyof Values>([
    ['name', 'name'],
    ['url', 'url'],
    ['auth.name', 'headerName'],
    ['auth.value', 'headerValue'],
    ['auth.clientId', 'clientId'],
    ['auth.clientSecret', 'clientSecret'],
  ]).get(path);

const draftOf = ({ name, url, isOffered, ...values }: Values) => ({ name, url, auth: authOf(values), isOffered });

function problemsOf(values: Values, server: ToolServer | undefined) {
  const found: Partial<Record<keyof Values, string>> = {};
  const isCommand = server?.kind === 'command';
  const { error } = NewToolServer.safeParse(draftOf(values));
  for (const { path, message } of error?.issues ?? []) {
    const field = fieldOf(path.join('.'));
    if (field && !(isCommand && field === 'url')) found[field] ??= message;
  }
  const hasValue = values.headerValue !== '' || server?.auth.type === 'header';
  if (values.authType === 'header' && !hasValue) found.headerValue ??= 'The value is required';
  return found;
}

/** Adds or edits a tool server. */
export function ServerDialog({ server, onClose, onAdded }: ServerDialogProps) {
  const [schema] = useState(() => problemsSchema((values: Values) => problemsOf(values, server)));
  const form = useSchemaForm(schema, valuesOf(server));
  const [authType, isOffered] = form.watch(['authType', 'isOffered']);
  const add = useAddServer();
  const change = useChangeServer(server?.id ?? 0);
  const { isPending, error } = server ? change : add;
  const isCommand = server?.kind === 'command';
  const fillIn = ({ name, url, authType: access }: KnownServer) =>
    form.reset({ ...form.getValues(), name, url, authType: access });
  const submit = form.handleSubmit((values) => {
    const answered = {
      onSuccess: onClose,
      onError: (failure: Error) => void showFieldErrors(form, failure, fieldOf),
    };
    const { name } = values;
    if (server) change.mutate(isCommand ? { name, isOffered: values.isOffered } : draftOf(values), answered);
    else add.mutate(draftOf(values), { ...answered, onSuccess: onAdded ?? onClose });
  });
  return (
    <FormDialog
      title={server ? 'Edit Tool Server' : 'Add Tool Server'}
      description={
        authType === 'oauth' ? 'After saving, sign in to load its tools.' : 'Roster loads its tools after saving.'
      }
      action={server ? ['Save Changes', 'Saving...'] : ['Add Server', 'Adding...']}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: server ? 'Failed to update the tool server' : 'Failed to add the tool server', error }}
      className="grid gap-5"
    >
      {!server && <KnownServerList onChoose={fillIn} />}
      <TextField label="Name" name="name" form={form} autoFocus />
      {!isCommand && <AddressFields form={form} server={server} />}
      <Offer
        isSignedInTo={authType === 'oauth'}
        isOffered={isOffered}
        onChange={(next) => form.setValue('isOffered', next)}
      />
    </FormDialog>
  );
}

function AddressFields({ server, ...fields }: FieldsProps & { server: ToolServer | undefined }) {
  return (
    <>
      <TextField
        label="URL"
        name="url"
        hint="MCP endpoint (Streamable HTTP), for example https://tools.example.org/mcp"
        {...fields}
      />
      <AccessFields server={server} {...fields} />
    </>
  );
}

type OfferProps = {
  isOffered: boolean;
  /** Each user signs in separately. */
  isSignedInTo?: boolean;
  onChange: (isOffered: boolean) => void;
};

export function Offer({ isOffered, isSignedInTo, onChange }: OfferProps) {
  if (useUser().role !== 'Admin') return null;
  return (
    <Checkbox
      label="Share with everyone"
      description={
        isSignedInTo
          ? 'Everyone here can use its tools after signing in to it. They see its name, its host and its tools.'
          : 'Everyone here can use its tools, which are called with your credentials. They see its name, its host and its tools.'
      }
      checked={isOffered}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}
