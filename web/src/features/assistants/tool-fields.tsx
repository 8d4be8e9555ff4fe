import type { AssistantTools } from '@roster/contracts/assistant-tools';
import { Controller } from 'react-hook-form';
import { Field } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';
import { Switch } from '#web/ui/switch.tsx';
import { LocationFields } from './location-fields.tsx';
import type { AssistantForm } from './use-assistant-form.ts';

/** Separated by commas or spaces, as people write lists. */
const domainsIn = (text: string) => text.split(/[\s,]+/).filter((domain) => domain !== '');

/** The tools that the provider runs. */
export function ToolFields({ form }: { form: AssistantForm }) {
  const tools = form.watch('tools') ?? {};
  const { isSubmitted: shouldValidate } = form.formState;
  const put = (changed: typeof tools) => form.setValue('tools', changed, { shouldDirty: true, shouldValidate });
  const { webSearch, codeInterpreter: code } = tools;
  const withWeb = webSearch && { webSearch };
  const withCode = code && { codeInterpreter: code };
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-3 font-medium">Tools that the provider runs</legend>
      <Switch
        label="Web search"
        description="Looks things up, and names its sources. The provider bills searches beside tokens; Roster does not count them."
        checked={webSearch !== undefined}
        onChange={({ target }) => put({ ...(target.checked && { webSearch: {} }), ...withCode })}
      />
      {webSearch && (
        <WebSearchFields
          form={form}
          webSearch={webSearch}
          onChange={(changed) => put({ webSearch: changed, ...withCode })}
        />
      )}
      <Switch
        label="Code interpreter"
        description="Writes and runs code to compute. What it prints is shown; files and pictures that it makes are kept among your files. The provider bills its containers beside tokens; Roster does not count them."
        checked={code !== undefined}
        onChange={({ target }) => put({ ...withWeb, ...(target.checked && { codeInterpreter: {} }) })}
      />
    </fieldset>
  );
}

type WebSearch = NonNullable<AssistantTools['webSearch']>;
type WebSearchFieldsProps = { form: AssistantForm; webSearch: WebSearch; onChange: (changed: WebSearch) => void };

/** Where in the web it searches, and from where. */
function WebSearchFields({ form, webSearch, onChange }: WebSearchFieldsProps) {
  return (
    <>
      <Controller
        control={form.control}
        name="tools.webSearch.domains"
        render={({ field, fieldState: { error } }) => (
          <Field
            label="Keep to these domains"
            hint="Such as example.org, separated by commas; empty for the whole web."
            error={error?.message ?? (Array.isArray(error) ? error.find(Boolean)?.message : undefined)}
          >
            {(control) => (
              <Input
                {...control}
                ref={field.ref}
                defaultValue={webSearch.domains?.join(', ') ?? ''}
                onBlur={field.onBlur}
                onChange={({ target }) => {
                  const domains = domainsIn(target.value);
                  onChange({ ...rest(webSearch), ...(domains.length > 0 && { domains }) });
                }}
                autoComplete="off"
              />
            )}
          </Field>
        )}
      />
      <LocationFields
        location={webSearch.location ?? {}}
        errors={form.formState.errors.tools?.webSearch?.location}
        onChange={(location) => {
          const { location: _, ...others } = webSearch;
          onChange({ ...others, ...(location && { location }) });
        }}
      />
    </>
  );
}

const rest = <Search extends { domains?: unknown }>({ domains: _, ...others }: Search) => others;
