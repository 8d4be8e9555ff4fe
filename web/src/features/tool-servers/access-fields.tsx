import type { ToolServer, ToolServerAuth } from '@roster/contracts/tool-servers/tool-servers';
import type { ReactNode } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { type ControlProps, Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { Select } from '#web/ui/forms/select.tsx';

type AuthType = ToolServerAuth['type'];
export type Values = {
  name: string;
  url: string;
  authType: AuthType;
  headerName: string;
  headerValue: string;
  clientId: string;
  clientSecret: string;
  isOffered: boolean;
};
export type FieldsProps = { form: UseFormReturn<Values> };
type AccessProps = FieldsProps & { server: ToolServer | undefined };

const accessNames: Record<AuthType, string> = {
  none: 'No authentication',
  header: 'With a header',
  oauth: 'Each person signs in (OAuth)',
};
const isAuthType = (value: string): value is AuthType => Object.hasOwn(accessNames, value);
const authTypes = Object.keys(accessNames).filter(isAuthType);

type Given = Pick<Values, 'authType' | 'headerName' | 'headerValue' | 'clientId' | 'clientSecret'>;

/** Builds the request: a secret that was not typed stays as stored. */
export function authOf({ authType, headerName, headerValue, clientId, clientSecret }: Given): ToolServerAuth {
  if (authType === 'none') return { type: authType };
  if (authType === 'header')
    return { type: authType, name: headerName, ...(headerValue !== '' && { value: headerValue }) };
  const id = clientId.trim() === '' ? null : clientId;
  return { type: authType, clientId: id, ...(clientSecret !== '' && { clientSecret }) };
}

type TextFieldProps = FieldsProps & {
  label: string;
  name: 'name' | 'url' | 'headerName' | 'clientId';
  hint?: ReactNode;
  autoFocus?: boolean;
  isOptional?: boolean;
};

export function TextField({ form, label, name, hint, autoFocus, isOptional }: TextFieldProps) {
  return (
    <Field label={label} required={!isOptional} hint={hint} error={form.formState.errors[name]?.message}>
      {(control: ControlProps) => (
        <Input
          {...control}
          {...form.register(name)}
          {...(autoFocus && { 'data-autofocus': true })}
          autoComplete="off"
          spellCheck={name === 'name'}
          dir={name === 'name' ? 'auto' : 'ltr'}
        />
      )}
    </Field>
  );
}

/** Authentication method and its fields. */
export function AccessFields(props: AccessProps) {
  const { form } = props;
  const authType = form.watch('authType');
  return (
    <>
      <Field label="Access">
        {(control) => (
          <Select
            {...control}
            value={authType}
            onChange={({ target }) => isAuthType(target.value) && form.setValue('authType', target.value)}
          >
            {authTypes.map((type) => (
              <option key={type} value={type}>
                {accessNames[type]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {authType === 'header' && <HeaderFields {...props} />}
      {authType === 'oauth' && <ClientFields {...props} />}
    </>
  );
}

const storedStays = ({ auth }: ToolServer) =>
  `Leave empty to keep the current one${auth.last4 ? ` (…${auth.last4})` : ''}.`;

type SecretFieldProps = FieldsProps & {
  label: string;
  name: 'headerValue' | 'clientSecret';
  what: string;
  hint: string;
  isOptional: boolean;
};

function SecretField({ form, label, name, what, hint, isOptional }: SecretFieldProps) {
  return (
    <Field label={label} required={!isOptional} hint={hint} error={form.formState.errors[name]?.message}>
      {(control) => <SecretInput {...control} {...form.register(name)} what={what} autoComplete="off" />}
    </Field>
  );
}

function HeaderFields({ server, ...fields }: AccessProps) {
  const kept = server?.auth.type === 'header' ? server : undefined;
  return (
    <div className="grid items-start gap-5 sm:grid-cols-2">
      <TextField label="Header" name="headerName" {...fields} />
      <SecretField
        label="Value"
        name="headerValue"
        what="value"
        isOptional={kept !== undefined}
        hint={
          kept ? storedStays(kept) : 'For example, Bearer followed by a token. Stored encrypted, never shown again.'
        }
        {...fields}
      />
    </div>
  );
}

/** For servers without dynamic client registration. */
function ClientFields({ server, ...fields }: AccessProps) {
  const kept = server?.auth.type === 'oauth' && server.auth.last4 !== null ? server : undefined;
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-3 text-muted-foreground text-sm">
        Most servers need no client ID. If one is needed, signing in will say so and show the redirect address to
        register.
      </legend>
      <div className="grid items-start gap-5 sm:grid-cols-2">
        <TextField label="Client ID" name="clientId" isOptional {...fields} />
        <SecretField
          label="Client Secret"
          name="clientSecret"
          what="client secret"
          isOptional
          hint={kept ? storedStays(kept) : 'Stored encrypted, never shown again.'}
          {...fields}
        />
      </div>
    </fieldset>
  );
}
