import { zodResolver } from '@hookform/resolvers/zod';
import { ApiKey, keyFormatMessage, openAiKeyPattern } from '@roster/contracts/account';
import { providerNameIn } from '@roster/contracts/provider-name';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { signInOptionsQuery, useProviderName } from '#web/api/sign-in-options.ts';
import { userConfigQuery, useSaveApiKey } from '#web/api/user-config.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Card, CardBody, CardFooter, CardHeader } from '#web/ui/card.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';

const AnyKey = z.object({ apiKey: ApiKey });
const OpenAiKey = z.object({ apiKey: ApiKey.regex(openAiKeyPattern, keyFormatMessage) });

/** The typed key, and the toasts after saving it. */
function useKeyForm() {
  const { data: options } = useQuery(signInOptionsQuery);
  const provider = useProviderName();
  const save = useSaveApiKey();
  const form = useForm({
    resolver: zodResolver(options?.provider.isOpenAi === false ? AnyKey : OpenAiKey),
    defaultValues: { apiKey: '' },
  });
  const submit = form.handleSubmit(({ apiKey }) =>
    save.mutate(apiKey, {
      onSuccess: ({ apiKeyVerified, apiKeyNotice }) => {
        form.reset();
        const unverified =
          apiKeyNotice ?? `${providerNameIn('beginning', provider)} could not be reached, so the key was not checked.`;
        toast({
          title: 'API Key saved',
          description: apiKeyVerified ? `${providerNameIn('beginning', provider)} accepted it.` : unverified,
        });
      },
      onError: (error) => {
        showFailure('Failed to save API Key', 'Please try again.')(error);
        form.setFocus('apiKey');
      },
    }),
  );
  return { form, submit, isSaving: save.isPending };
}

/** Sub-tab that saves the provider key. The key is never shown. */
export function KeyTab() {
  const { data: config } = useQuery(userConfigQuery);
  const provider = useProviderName();
  const { form, submit, isSaving } = useKeyForm();
  return (
    <Card>
      <CardHeader title="API Key" description={`Your assistants call ${provider} with this key.`} />
      <CardBody className="grid gap-5">
        {config?.hasApiKey && (
          <Notice
            tone="success"
            action={
              <Link to="/settings" search={{ tab: 'api-keys' }} className={buttonClass({ size: 'sm' })}>
                Open the saved key
              </Link>
            }
          >
            An API key is already saved. Saving a new one replaces it.
          </Notice>
        )}
        <form onSubmit={submit} noValidate className="grid gap-4">
          <Field label="API key" hint="The key begins with 'sk-'." error={form.formState.errors.apiKey?.message}>
            {(control) => (
              <SecretInput
                {...control}
                {...form.register('apiKey')}
                what="API key"
                autoComplete="off"
                placeholder="sk-…"
                className="font-mono placeholder:font-sans"
              />
            )}
          </Field>
          <Button
            type="submit"
            variant="primary"
            busy={isSaving}
            pendingLabel="Saving..."
            className="justify-self-start"
          >
            Save API Key
          </Button>
        </form>
      </CardBody>
      <CardFooter>Stored encrypted, used only to call the provider, never shown again.</CardFooter>
    </Card>
  );
}
