import type { SearchLocation } from '@roster/contracts/assistants/tools';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';

type Part = keyof SearchLocation;
type LocationFieldsProps = {
  location: SearchLocation;
  errors: { [part in Part]?: { message?: string | undefined } | undefined } | undefined;
  /** undefined: cleared. */
  onChange: (location: SearchLocation | undefined) => void;
};

const codeLength = 2;

/** Name of a country code, if the browser knows it. */
function countryName(code: string): string | undefined {
  if (!/^[A-Z]{2}$/.test(code)) return undefined;
  return new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code);
}

/** Approximate location of web searches, for local results. */
export function LocationFields({ location, errors, onChange }: LocationFieldsProps) {
  const put = (part: Part, text: string) => {
    const { [part]: _, ...others } = location;
    const changed = { ...others, ...(text.trim() !== '' && { [part]: text }) };
    onChange(Object.keys(changed).length > 0 ? changed : undefined);
  };
  const { city = '', region = '', country = '' } = location;
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Location</legend>
      <p className="mb-3 text-muted-foreground text-sm">
        Search results are tailored to this location, which is sent to the provider. Leave empty for none.
      </p>
      <div className="grid grid-cols-3 items-start gap-3 max-md:grid-cols-1">
        <Field label="City" error={errors?.city?.message}>
          {(control) => (
            <Input {...control} value={city} onChange={({ target }) => put('city', target.value)} autoComplete="off" />
          )}
        </Field>
        <Field label="Region" error={errors?.region?.message}>
          {(control) => (
            <Input
              {...control}
              value={region}
              onChange={({ target }) => put('region', target.value)}
              autoComplete="off"
            />
          )}
        </Field>
        <Field
          label="Country"
          hint={countryName(country) ?? 'Two-letter code, such as NL.'}
          error={errors?.country?.message}
        >
          {(control) => (
            <Input
              {...control}
              value={country}
              maxLength={codeLength}
              onChange={({ target }) => put('country', target.value.toUpperCase())}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
            />
          )}
        </Field>
      </div>
    </fieldset>
  );
}
