import { NewToolServer, type ToolServer } from '@roster/contracts/tool-servers';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useUser } from '#web/data/current-user.ts';
import { ApiError } from '#web/lib/api.ts';
import { focusFirstProblem } from '#web/lib/form-errors.ts';
import { FormDialog } from '#web/parts/form-dialog.tsx';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { type ControlProps, Field } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';
import { SecretInput } from '#web/ui/secret-input.tsx';
import { Select } from '#web/ui/select.tsx';
import { useAddServer, useChangeServer } from './queries.ts';

type ServerDialogProps = { server?: ToolServer; onClose: () => void };
type Values = {
  name: string;
  url: string;
  authType: 'none' | 'header';
  headerName: string;
  headerValue: string;
  isOffered: boolean;
};
type Problems = Partial<Record<keyof Values, string>>;

const valuesOf = (server: ToolServer | undefined): Values => ({
  name: server?.name ?? '',
  url: server?.url ?? '',
  authType: server?.auth.type === 'header' ? 'header' : 'none',
  headerName: server?.auth.name ?? 'Authorization',
  headerValue: '',
  isOffered: server?.isOffered ?? false,
});

/** What the contract and the server call a field, and where it stands here. */
const fieldOf = (path: string): keyof Values | undefined =>
  new Map<string, keyof Values>([
    ['name', 'name'],
    ['url', 'url'],
    ['auth.name', 'headerName'],
    ['auth.value', 'headerValue'],
  ]).get(path);

const draftOf = ({ name, url, authType, headerName, headerValue, isOffered }: Values) => ({
  name,
  url,
  auth:
    authType === 'none'
      ? { type: authType }
      : { type: authType, name: headerName, ...(headerValue !== '' && { value: headerValue }) },
  isOffered,
});

function problemsOf(values: Values, server: ToolServer | undefined): Problems {
  const found: Problems = {};
  const { error } = NewToolServer.safeParse(draftOf(values));
  for (const { path, message } of error?.issues ?? []) {
    const field = fieldOf(path.join('.'));
    if (field) found[field] ??= message;
  }
  const hasValue = values.headerValue !== '' || server?.auth.type === 'header';
  if (values.authType === 'header' && !hasValue) found.headerValue ??= 'The value is required';
  return found;
}

function saidByServer(error: Error | null): Problems {
  if (!(error instanceof ApiError)) return {};
  const entries = Object.entries(error.fields ?? {}).map(([path, message]) => [fieldOf(path), message]);
  return Object.fromEntries(entries.filter(([field]) => field !== undefined));
}

/** Adds a server, or changes one. */
export function ServerDialog({ server, onClose }: ServerDialogProps) {
  const [values, setValues] = useState(() => valuesOf(server));
  const [problems, setProblems] = useState<Problems>({});
  const add = useAddServer();
  const change = useChangeServer(server?.id ?? 0);
  const { isPending, error } = server ? change : add;
  const put = (changes: Partial<Values>) => setValues({ ...values, ...changes });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const found = problemsOf(values, server);
    setProblems(found);
    if (focusFirstProblem(event.currentTarget, found)) return;
    const answered = {
      onSuccess: onClose,
      onError: (failure: Error) => setProblems(saidByServer(failure)),
    };
    if (server) change.mutate(draftOf(values), answered);
    else add.mutate(draftOf(values), answered);
  };
  return (
    <FormDialog
      title={server ? 'Edit Tool Server' : 'Add Tool Server'}
      description="Roster asks it for its tools once it is saved."
      action={server ? ['Save Changes', 'Saving...'] : ['Add Server', 'Adding...']}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: server ? 'The tool server was not changed' : 'The tool server was not added', error }}
      className="grid gap-5"
    >
      <TextField label="Name" name="name" values={values} problems={problems} put={put} autoFocus />
      <TextField
        label="Address"
        name="url"
        values={values}
        problems={problems}
        put={put}
        hint="Of its MCP endpoint on streamable HTTP, such as https://tools.example.org/mcp"
      />
      <HeaderFields values={values} problems={problems} put={put} server={server} />
      <Offer isOffered={values.isOffered} onChange={(isOffered) => put({ isOffered })} />
    </FormDialog>
  );
}

type FieldsProps = { values: Values; problems: Problems; put: (changes: Partial<Values>) => void };
type TextFieldProps = FieldsProps & {
  label: string;
  name: 'name' | 'url' | 'headerName';
  hint?: ReactNode;
  autoFocus?: boolean;
};

function TextField({ label, name, values, problems, put, hint, autoFocus }: TextFieldProps) {
  return (
    <Field label={label} required hint={hint} error={problems[name]}>
      {(control: ControlProps) => (
        <Input
          {...control}
          name={name}
          {...(autoFocus && { 'data-autofocus': true })}
          autoComplete="off"
          spellCheck={name === 'name'}
          dir={name === 'name' ? 'auto' : 'ltr'}
          value={values[name]}
          onChange={({ target }) => put({ [name]: target.value })}
        />
      )}
    </Field>
  );
}

function HeaderFields({ values, problems, put, server }: FieldsProps & { server: ToolServer | undefined }) {
  const isKept = server?.auth.type === 'header';
  return (
    <>
      <Field label="Access">
        {(control) => (
          <Select
            {...control}
            value={values.authType}
            onChange={({ target }) => put({ authType: target.value === 'header' ? 'header' : 'none' })}
          >
            <option value="none">Open to everybody</option>
            <option value="header">With a header</option>
          </Select>
        )}
      </Field>
      {values.authType === 'header' && (
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <TextField label="Header" name="headerName" values={values} problems={problems} put={put} />
          <Field
            label="Value"
            required={!isKept}
            hint={
              isKept
                ? `Empty: the one that is stored stays${server.auth.last4 ? ` (…${server.auth.last4})` : ''}.`
                : 'Such as Bearer and a token. Stored encrypted, never shown again.'
            }
            error={problems.headerValue}
          >
            {(control) => (
              <SecretInput
                {...control}
                what="value"
                name="headerValue"
                autoComplete="off"
                value={values.headerValue}
                onChange={({ target }) => put({ headerValue: target.value })}
              />
            )}
          </Field>
        </div>
      )}
    </>
  );
}

type OfferProps = { isOffered: boolean; onChange: (isOffered: boolean) => void };

export function Offer({ isOffered, onChange }: OfferProps) {
  if (useUser().role !== 'Admin') return null;
  return (
    <Checkbox
      label="Offer it to everybody"
      description="All people of this Roster may choose its tools, which are then called with your secret. They see its name, its host and its tools."
      checked={isOffered}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}
