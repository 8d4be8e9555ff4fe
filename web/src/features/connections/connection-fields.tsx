import type { Connection } from '@roster/contracts/connections/connections';
import type { UseFormReturn } from 'react-hook-form';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { type HeaderRow, keptHeaders } from './header-rows.ts';

export type Values = { name: string; baseUrl: string; key: string; firstTokenSeconds: string; headers: HeaderRow[] };
export type FieldsProps = { form: UseFormReturn<Values> };

/** Seconds as typed; null: as the installation. NaN: not a number. */
export const secondsOf = (typed: string): number | null => (typed.trim() === '' ? null : Number(typed));

type Editable = Pick<Connection, 'name' | 'baseUrl' | 'hasKey' | 'keyLast4' | 'firstTokenSeconds' | 'headerNames'>;

/** The form of a connection that is there. */
export const editedValues = ({ name, baseUrl, firstTokenSeconds, headerNames }: Editable): Values => ({
  ...{ name, baseUrl, key: '', firstTokenSeconds: firstTokenSeconds === null ? '' : String(firstTokenSeconds) },
  headers: keptHeaders(headerNames),
});

export const keptKeyHint = ({ hasKey, keyLast4 }: Editable) =>
  hasKey ? `Leave empty to keep the current one${keyLast4 ? ` (…${keyLast4})` : ''}.` : 'No key is set.';

export const fixedAddress = ({ baseUrl }: Editable) =>
  `The address ${baseUrl} cannot be changed, so that a key never goes to another one.`;

type TextFieldProps = FieldsProps & {
  label: string;
  name: 'name' | 'baseUrl' | 'firstTokenSeconds';
  hint?: string | undefined;
  isOptional?: boolean;
  autoFocus?: boolean;
};

export function TextField({ form, label, name, hint, isOptional, autoFocus }: TextFieldProps) {
  return (
    <Field label={label} required={!isOptional} hint={hint} error={form.formState.errors[name]?.message}>
      {(control) => (
        <Input
          {...control}
          {...form.register(name)}
          {...(autoFocus && { 'data-autofocus': true })}
          autoComplete="off"
          spellCheck={false}
          inputMode={name === 'firstTokenSeconds' ? 'numeric' : undefined}
          dir={name === 'name' ? 'auto' : 'ltr'}
        />
      )}
    </Field>
  );
}

type KeyFieldProps = FieldsProps & { isOptional: boolean; hint: string; keyPage?: string | null };

export function KeyField({ form, isOptional, hint, keyPage = null }: KeyFieldProps) {
  return (
    <Field
      label="API key"
      required={!isOptional}
      hint={hint}
      error={form.formState.errors.key?.message}
      aside={
        keyPage !== null && (
          <a href={keyPage} target="_blank" rel="noreferrer" className="text-primary-text text-sm underline">
            Get a key
          </a>
        )
      }
    >
      {(control) => (
        <SecretInput {...control} {...form.register('key')} what="API key" autoComplete="off" className="font-mono" />
      )}
    </Field>
  );
}

export const WaitField = ({ form }: FieldsProps) => (
  <TextField
    form={form}
    label="First-token timeout (seconds)"
    name="firstTokenSeconds"
    isOptional
    hint="From 10 to 7200. Your own server may need minutes to load a model. Leave empty for the installation’s default."
  />
);
