import type { ImportCandidate } from '@roster/contracts/assistants/assistants';
import { providerNameIn } from '@roster/contracts/provider-name';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useRef, useState } from 'react';
import { useFetchFromProvider } from '#web/api/assistant-changes.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { userConfigQuery } from '#web/api/user-config.ts';
import { ApiError } from '#web/lib/api-client.ts';
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
        description={`Looks for the assistants in your account at ${provider} and makes Roster assistants of the ones you choose.`}
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

type KeySource = 'saved' | 'typed';

/** `savedKeyEnd`: last characters of the saved key; undefined if there is none. */
function KeyForm({ savedKeyEnd, onFetched }: EnterKeyProps & { savedKeyEnd: string | undefined }) {
  const [source, setSource] = useState<KeySource>(savedKeyEnd === undefined ? 'typed' : 'saved');
  const [typedKey, setTypedKey] = useState('');
  const [error, setError] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const provider = useProviderName();
  const { reason } = useEditAccess();
  const fetching = useFetchFromProvider();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const apiKey = source === 'typed' ? typedKey.trim() : undefined;
    if (apiKey === '') {
      setError('API Key is required');
      field.current?.focus();
      return;
    }
    fetching.mutate(apiKey, {
      onSuccess: (candidates) => onFetched(candidates, apiKey),
      onError: showFailure(
        'Failed to fetch assistants',
        `Could not connect to ${provider} API. Please check your API key.`,
      ),
    });
  };
  const type = (key: string) => {
    setTypedKey(key);
    setError(undefined);
  };

  return (
    <form onSubmit={submit} noValidate className="grid gap-5">
      {savedKeyEnd !== undefined && <KeyChoice savedKeyEnd={savedKeyEnd} source={source} onChange={setSource} />}
      {source === 'typed' && <TypedKey field={field} value={typedKey} error={error} onChange={type} />}
      {fetching.error instanceof ApiError && fetching.error.code === 'not_served' && (
        <Notice tone="warning" title={`${providerNameIn('beginning', provider)} does not serve assistants any more`}>
          If you have them in a JSON file, import that below.
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
        { value: 'typed', label: 'Another key', description: 'For this import only' },
      ]}
    />
  );
}

type TypedKeyProps = {
  field: RefObject<HTMLInputElement | null>;
  value: string;
  error: string | undefined;
  onChange: (key: string) => void;
};

function TypedKey({ field, value, error, onChange }: TypedKeyProps) {
  return (
    <Field
      label="API key"
      hint="Used for this import only. It is not stored, so it is asked for again next time."
      error={error}
    >
      {(control) => (
        <SecretInput
          {...control}
          ref={field}
          what="API key"
          autoComplete="off"
          placeholder="sk-…"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          className="font-mono placeholder:font-sans"
        />
      )}
    </Field>
  );
}
