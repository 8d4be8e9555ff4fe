import { type AssistantTools, type BuiltInTool, builtInTools } from '@roster/contracts/assistants/tools';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Controller } from 'react-hook-form';
import { toolSupportQuery } from '#web/api/models.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Switch } from '#web/ui/forms/switch.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { LocationFields } from './location-fields.tsx';
import type { AssistantForm } from './use-assistant-form.ts';

/** Splits at commas and whitespace. */
const domainsIn = (text: string) => text.split(/[\s,]+/).filter((domain) => domain !== '');

const words: Record<BuiltInTool, { label: string; description: string }> = {
  webSearch: {
    label: 'Web search',
    description: 'Looks up information and cites its sources.',
  },
  codeInterpreter: {
    label: 'Code interpreter',
    description: 'Writes and runs code. You see its output; the files and images it creates are saved to your files.',
  },
  imageGeneration: {
    label: 'Image generation',
    description: 'Creates images from a description. They appear in the answer and are saved to your files.',
  },
};

/** Built-in tools. */
export function ToolFields({ form }: { form: AssistantForm }) {
  const tools = form.watch('tools') ?? {};
  const { isSubmitted: shouldValidate } = form.formState;
  const known = useQuery(toolSupportQuery(form.watch('model') || null)).data;
  const put = (changed: typeof tools) => form.setValue('tools', changed, { shouldDirty: true, shouldValidate });
  const { webSearch } = tools;
  const switchTool = (name: BuiltInTool, on: boolean) => {
    const { [name]: _, ...others } = tools;
    put(inOrder(on ? { ...others, [name]: {} } : others));
  };
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-1 font-medium">Built-in tools</legend>
      <p className="text-muted-foreground text-sm">
        The provider bills them in addition to tokens. Analytics shows their use, and their cost if a price is known.
      </p>
      {known?.notice && <Notice>{known.notice}</Notice>}
      {builtInTools.map((name) => (
        <Fragment key={name}>
          <BuiltInToolSwitch
            name={name}
            isOn={tools[name] !== undefined}
            reason={known?.[name] ?? null}
            onChange={(on) => switchTool(name, on)}
          />
          {name === 'webSearch' && webSearch && (
            <WebSearchFields
              form={form}
              webSearch={webSearch}
              onChange={(changed) => put(inOrder({ ...tools, webSearch: changed }))}
            />
          )}
        </Fragment>
      ))}
    </fieldset>
  );
}

/** In stored order, so that turning a tool off and on is no change. */
const inOrder = ({ webSearch, codeInterpreter, imageGeneration }: AssistantTools): AssistantTools => ({
  ...(webSearch && { webSearch }),
  ...(codeInterpreter && { codeInterpreter }),
  ...(imageGeneration && { imageGeneration }),
});

type HostedSwitchProps = {
  name: BuiltInTool;
  isOn: boolean;
  /** Why the model is known to lack it. */
  reason: string | null;
  onChange: (on: boolean) => void;
};

function BuiltInToolSwitch({ name, isOn, reason, onChange }: HostedSwitchProps) {
  const { label, description } = words[name];
  return (
    <Switch
      label={label}
      description={reason ? `${reason}${isOn ? ' Answers continue without it.' : ''}` : description}
      checked={isOn}
      // An enabled tool can always be turned off.
      disabled={reason !== null && !isOn}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}

type WebSearch = NonNullable<AssistantTools['webSearch']>;
type WebSearchFieldsProps = { form: AssistantForm; webSearch: WebSearch; onChange: (changed: WebSearch) => void };

/** Allowed domains and location of web searches. */
function WebSearchFields({ form, webSearch, onChange }: WebSearchFieldsProps) {
  return (
    <>
      <Controller
        control={form.control}
        name="tools.webSearch.domains"
        render={({ field, fieldState: { error } }) => (
          <Field
            label="Allowed domains"
            hint="For example, example.org. Separate with commas. Leave empty for the whole web."
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
