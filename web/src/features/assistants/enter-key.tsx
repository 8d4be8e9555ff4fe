import type { ImportCandidate } from '@roster/contracts/assistants/assistants';
import { providerNameIn } from '@roster/contracts/provider-name';
import { useQuery } from '@tanstack/react-query';
import type { UseFormReturn } from 'react-hook-form';
import { z } from 'zod';
import { useFetchFromProvider } from '#web/api/assistant-changes.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { userConfigQuery } from '#web/api/user-config.ts';
import { ApiError } from '#web/lib/api-client.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';

type EnterKeyProps = { onFetched: (candidates: ImportCandidate[], apiKey: string | undefined) => void };

/** First step: the key used to look for assistants. */
export function EnterKey({ onFetched }: EnterKeyProps) {
  const { data: config } = useQuery(userConfigQuery);
  const provider = useProviderName();
  return (
    <Card>
      <CardHeader
        title={`Import from ${provider}`}
        description={`Finds the assistants in your ${provider} account and imports the ones you choose.`}
      />
      <CardBody>
        {config ? (
          <KeyForm savedKeyEnd={config.hasApiKey ? (config.apiKeyLast4 ?? '') : undefined} onFetched={onFetched} />
        ) : (
          <SpinnerPanel className="min-h-24" />
        )}
      </CardBody>
    </Card>
  );
}

// The server checks a key's form, because it depends on the provider.
const KeyFields = z.discriminatedUnion('source', [
  z.object({ source: z.literal('saved'), apiKey: z.string().transform(() => undefined) }),
  z.object({ source: z.literal('typed'), apiKey: z.string().trim().min(1, 'API Key is required') }),
]);
type KeyValues = z.input<typeof KeyFields>;
type KeySource = KeyValues['source'];
type KeyFormState = UseFormReturn<KeyValues, unknown, z.output<typeof KeyFields>>;

/** `savedKeyEnd`: last characters of the saved key; undefined if there is none. */
function KeyForm({ savedKeyEnd, onFetched }: EnterKeyProps & { savedKeyEnd: string | undefined }) {
  const form: KeyFormState = useSchemaForm(KeyFields, {
    source: savedKeyEnd === undefined ? 'typed' : 'saved',
    apiKey: '',
  });
  const source = form.watch('source');
  const provider = useProviderName();
  const { reason } = useEditAccess();
  const fetching = useFetchFromProvider();

  const submit = form.handleSubmit(({ apiKey }) =>
    fetching.mutate(apiKey, {
      onSuccess: (candidates) => onFetched(candidates, apiKey),
      onError: showFailure(
        'Failed to fetch assistants',
        `Could not connect to ${provider} API. Please check your API key.`,
      ),
    }),
  );

  return (
    <form onSubmit={submit} noValidate className="grid gap-5">
      {savedKeyEnd !== undefined && (
        <KeyChoice savedKeyEnd={savedKeyEnd} source={source} onChange={(next) => form.setValue('source', next)} />
      )}
      {source === 'typed' && <TypedKey form={form} />}
      {fetching.error instanceof ApiError && fetching.error.code === 'not_served' && (
        <Notice tone="warning" title={`${providerNameIn('beginning', provider)} no longer offers assistants`}>
          If you have a JSON file of them, import it below.
        </Notice>
      )}
      <Button
        type="submit"
        variant="primary"
        busy={fetching.isPending}
        pendingLabel="Fetching..."
        disabledReason={reason}
        className="justify-self-start"
      >
        Fetch Assistants
      </Button>
    </form>
  );
}

type KeyChoiceProps = { savedKeyEnd: string; source: KeySource; onChange: (source: KeySource) => void };

function KeyChoice({ savedKeyEnd, source, onChange }: KeyChoiceProps) {
  return (
    <RadioGroup
      label="Key to use"
      layout="row"
      value={source}
      onValueChange={onChange}
      options={[
        { value: 'saved', label: 'The saved key', description: savedKeyEnd && `Ends in ${savedKeyEnd}` },
        { value: 'typed', label: 'A different key', description: 'For this import only' },
      ]}
    />
  );
}

function TypedKey({ form }: { form: KeyFormState }) {
  return (
    <Field
      label="API key"
      hint="Used only for this import and not stored."
      error={form.formState.errors.apiKey?.message}
    >
      {(control) => (
        <SecretInput
          {...control}
          {...form.register('apiKey', { onChange: () => form.clearErrors('apiKey') })}
          what="API key"
          autoComplete="off"
          placeholder="sk-…"
          className="font-mono placeholder:font-sans"
        />
      )}
    </Field>
  );
}
