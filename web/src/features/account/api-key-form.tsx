import { providerNameIn } from '@roster/contracts/provider-name';
import { isBlank } from '@roster/contracts/text/blank';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { exampleModels } from '#web/api/example-models.ts';
import { modelsQuery } from '#web/api/models.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { useSaveApiKey } from '#web/api/user-config.ts';
import { AskThreeLink } from '#web/components/ask-three-link.tsx';
import { ApiError } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { dismissErrorToasts, toastError } from '#web/lib/toast.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';

const clearAfter = 3000;

/** The typed key; cleared a moment after it was saved. */
function useTypedKey(isSaved: boolean) {
  const [apiKey, setApiKey] = useState('');
  useEffect(() => {
    if (!isSaved) return;
    const timer = setTimeout(() => setApiKey(''), clearAfter);
    return () => clearTimeout(timer);
  }, [isSaved]);
  return [apiKey, setApiKey] as const;
}

/** Saves a key and shows the provider's verdict. `replaces`: there is one already. */
export function ApiKeyForm({ replaces }: { replaces: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  const provider = useProviderName();
  const name = providerNameIn('compound', provider);
  const save = useSaveApiKey();
  const [apiKey, setApiKey] = useTypedKey(save.isSuccess);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    if (isBlank(apiKey)) {
      field.current?.focus();
      return toastError({ title: 'API Key Required', description: `Please enter your ${name} API key.` });
    }
    save.mutate(apiKey, {
      onSuccess() {
        dismissErrorToasts();
        toast({ title: 'API Key Updated', description: `Your ${name} API key has been securely stored.` });
      },
      onError: (error) => {
        field.current?.focus();
        showFailure('Failed to update API key', 'Please try again.')(error);
      },
    });
  };

  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      <Field label={replaces ? 'Replace the API key' : 'API key'} hint="The key begins with 'sk-'.">
        {(control) => (
          <div className="flex gap-2 max-sm:flex-col">
            <div className="flex-1">
              <SecretInput
                {...control}
                ref={field}
                what="API key"
                autoComplete="off"
                placeholder="sk-…"
                value={apiKey}
                onChange={(event) => {
                  setApiKey(event.currentTarget.value);
                  if (!save.isIdle && !save.isPending) save.reset();
                }}
                className="font-mono placeholder:font-sans"
              />
            </div>
            <Button type="submit" variant="primary" busy={save.isPending} pendingLabel="Saving...">
              Save API Key
            </Button>
          </div>
        )}
      </Field>
      <Verdict save={save} provider={provider} />
    </form>
  );
}

/** Leads on from a key that works: to a first comparison, a chat or an assistant. */
function WorkingKey({ provider }: { provider: string }) {
  const { data: models, isFetching } = useQuery(modelsQuery);
  const several = models && !isFetching ? exampleModels(models) : [];
  return (
    <Notice
      tone="success"
      live
      title="The key works"
      action={
        <>
          {several.length > 1 && <AskThreeLink models={several} />}
          <Link
            to="/chat"
            className={buttonClass({ variant: several.length > 1 ? 'secondary' : 'primary', size: 'sm' })}
          >
            Start a chat
          </Link>
        </>
      }
    >
      {`${providerNameIn('beginning', provider)} accepted it.`} You can chat with any of its models, or{' '}
      <Link to="/assistants/new" className="text-primary-text underline">
        create an assistant
      </Link>
      .
    </Notice>
  );
}

/** Result of verifying the key: works, saved but not verified, or refused with the provider's message. */
function Verdict({ save, provider }: { save: ReturnType<typeof useSaveApiKey>; provider: string }) {
  if (save.isSuccess && save.data.apiKeyVerified) return <WorkingKey provider={provider} />;
  if (save.isSuccess) {
    return (
      <Notice tone="warning" live title="Saved, but not verified">
        {save.data.apiKeyNotice ??
          `${providerNameIn('beginning', provider)} could not be reached, so the key was not checked.`}
      </Notice>
    );
  }
  if (save.error instanceof ApiError && save.error.code === 'key_rejected') {
    return (
      <Notice
        tone="destructive"
        live
        title={`${providerNameIn('beginning', provider)} rejected this key; it was not saved`}
      >
        {save.error.message}
      </Notice>
    );
  }
  return null;
}
