import type { ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import type { ReactNode } from 'react';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { type Problems, usualAuthName, type Values } from './openapi-values.ts';

type FieldsProps = { values: Values; problems: Problems; put: (changes: Partial<Values>) => void };

export function NameField({ values, problems, put }: FieldsProps) {
  return (
    <Field label="Name" required error={problems.name}>
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
  );
}

type AddressFieldProps = FieldsProps & {
  label: string;
  name: 'descriptionUrl' | 'baseUrl' | 'authName';
  required?: boolean;
  hint?: ReactNode;
};

function AddressField({ label, name, required = false, hint, values, problems, put }: AddressFieldProps) {
  return (
    <Field label={label} required={required} hint={hint} error={problems[name]}>
      {(control) => (
        <Input
          {...control}
          name={name}
          autoComplete="off"
          spellCheck={false}
          dir="ltr"
          value={values[name]}
          onChange={({ target }) => put({ [name]: target.value })}
        />
      )}
    </Field>
  );
}

/** The description's text or URL. */
export function DescriptionFields(props: FieldsProps) {
  const { values, problems, put } = props;
  return (
    <div className="grid gap-3">
      <RadioGroup
        label="Description"
        layout="row"
        value={values.source}
        onValueChange={(source) => put({ source })}
        options={[
          { value: 'pasted', label: 'Paste it', description: 'Changes only when you change it here.' },
          { value: 'address', label: 'Give its address', description: 'Fetched now, and once a day while in use.' },
        ]}
      />
      {values.source === 'pasted' ? (
        <Field
          label="Text"
          required
          hint="OpenAPI 3.0 or 3.1, or Swagger 2.0, as JSON or YAML, up to 20 MB"
          error={problems.text}
        >
          {(control) => (
            <Textarea
              {...control}
              name="text"
              dir="ltr"
              rows={8}
              spellCheck={false}
              className="font-mono text-xs"
              value={values.text}
              onChange={({ target }) => put({ text: target.value })}
            />
          )}
        </Field>
      ) : (
        <AddressField
          {...props}
          label="Address of the description"
          name="descriptionUrl"
          required
          hint="Such as https://api.example.org/openapi.json. It is fetched without the secret below."
        />
      )}
    </div>
  );
}

export function BaseUrlField(props: FieldsProps) {
  return (
    <AddressField
      {...props}
      label="Base address"
      name="baseUrl"
      hint="Where the tools are called. Empty: the address that the description names."
    />
  );
}

/** Authentication of calls. */
export function AccessFields(props: FieldsProps & { server: ToolServer | undefined }) {
  const { values, put } = props;
  const choose = (authType: Values['authType']) => put({ authType, authName: usualAuthName[authType] });
  return (
    <>
      <Field label="Access">
        {(control) => (
          <Select
            {...control}
            value={values.authType}
            onChange={({ target }) =>
              choose(target.value === 'header' || target.value === 'query' ? target.value : 'none')
            }
          >
            <option value="none">Open to everybody</option>
            <option value="header">With a header</option>
            <option value="query">With a key in the query</option>
          </Select>
        )}
      </Field>
      {values.authType !== 'none' && (
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <AddressField
            {...props}
            label={values.authType === 'header' ? 'Header' : 'Name in the query'}
            name="authName"
            required
          />
          <ValueField {...props} />
        </div>
      )}
    </>
  );
}

function ValueField({ values, problems, put, server }: FieldsProps & { server: ToolServer | undefined }) {
  const isKept = server !== undefined && server.auth.type !== 'none';
  const kept = `Empty: the one that is stored stays${server?.auth.last4 ? ` (…${server.auth.last4})` : ''}.`;
  return (
    <Field
      label="Value"
      required={!isKept}
      hint={isKept ? kept : 'Stored encrypted, never shown again, and sent to the base address only.'}
      error={problems.authValue}
    >
      {(control) => (
        <SecretInput
          {...control}
          what="value"
          name="authValue"
          autoComplete="off"
          value={values.authValue}
          onChange={({ target }) => put({ authValue: target.value })}
        />
      )}
    </Field>
  );
}
