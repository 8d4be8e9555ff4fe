import type { ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import type { ReactNode } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { usualAuthName, type Values } from './openapi-values.ts';

type FieldsProps = { form: UseFormReturn<Values> };

export function NameField({ form }: FieldsProps) {
  return (
    <Field label="Name" required error={form.formState.errors.name?.message}>
      {(control) => <Input {...control} {...form.register('name')} data-autofocus autoComplete="off" dir="auto" />}
    </Field>
  );
}

type AddressFieldProps = FieldsProps & {
  label: string;
  name: 'descriptionUrl' | 'baseUrl' | 'authName';
  required?: boolean;
  hint?: ReactNode;
};

function AddressField({ form, label, name, required = false, hint }: AddressFieldProps) {
  return (
    <Field label={label} required={required} hint={hint} error={form.formState.errors[name]?.message}>
      {(control) => <Input {...control} {...form.register(name)} autoComplete="off" spellCheck={false} dir="ltr" />}
    </Field>
  );
}

/** The description's text or URL. */
export function DescriptionFields(props: FieldsProps) {
  const { form } = props;
  const source = form.watch('source');
  return (
    <div className="grid gap-3">
      <RadioGroup
        label="Description"
        layout="row"
        value={source}
        onValueChange={(next) => form.setValue('source', next)}
        options={[
          { value: 'pasted', label: 'Paste', description: 'Stays the same until you change it here.' },
          { value: 'address', label: 'Load from a URL', description: 'Loaded now, then daily while in use.' },
        ]}
      />
      {source === 'pasted' ? (
        <Field
          label="Text"
          required
          hint="OpenAPI 3.0 or 3.1, or Swagger 2.0, as JSON or YAML, up to 20 MB"
          error={form.formState.errors.text?.message}
        >
          {(control) => (
            <Textarea
              {...control}
              {...form.register('text')}
              dir="ltr"
              rows={8}
              spellCheck={false}
              className="font-mono text-xs"
            />
          )}
        </Field>
      ) : (
        <AddressField
          {...props}
          label="Description URL"
          name="descriptionUrl"
          required
          hint="For example, https://api.example.org/openapi.json. Loaded without the secret below."
        />
      )}
    </div>
  );
}

export function BaseUrlField(props: FieldsProps) {
  return (
    <AddressField
      {...props}
      label="Base URL"
      name="baseUrl"
      hint="Where tools are called. Leave empty to use the URL in the description."
    />
  );
}

/** Authentication of calls. */
export function AccessFields(props: FieldsProps & { server: ToolServer | undefined }) {
  const { form } = props;
  const current = form.watch('authType');
  const choose = (authType: Values['authType']) => {
    form.setValue('authType', authType);
    form.setValue('authName', usualAuthName[authType]);
  };
  return (
    <>
      <Field label="Access">
        {(control) => (
          <Select
            {...control}
            value={current}
            onChange={({ target }) =>
              choose(target.value === 'header' || target.value === 'query' ? target.value : 'none')
            }
          >
            <option value="none">No authentication</option>
            <option value="header">With a header</option>
            <option value="query">With a key in the query</option>
          </Select>
        )}
      </Field>
      {current !== 'none' && (
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <AddressField
            {...props}
            label={current === 'header' ? 'Header' : 'Name in the query'}
            name="authName"
            required
          />
          <ValueField {...props} />
        </div>
      )}
    </>
  );
}

function ValueField({ form, server }: FieldsProps & { server: ToolServer | undefined }) {
  const isKept = server !== undefined && server.auth.type !== 'none';
  const kept = `Leave empty to keep the current one${server?.auth.last4 ? ` (…${server.auth.last4})` : ''}.`;
  return (
    <Field
      label="Value"
      required={!isKept}
      hint={isKept ? kept : 'Stored encrypted, never shown again, and sent only to the base URL.'}
      error={form.formState.errors.authValue?.message}
    >
      {(control) => <SecretInput {...control} {...form.register('authValue')} what="value" autoComplete="off" />}
    </Field>
  );
}
