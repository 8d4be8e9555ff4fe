import { type CallableAssistant, connect } from '@roster/contracts/connect';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { programModelName } from '#web/api/model-names.ts';
import { allModels, modelsQuery } from '#web/api/models.ts';
import { call, errorText } from '#web/lib/api-client.ts';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { CodeBlock } from '#web/ui/markdown/code/code-block.tsx';
import { Page } from '#web/ui/page.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { NewToken } from './new-token.tsx';
import { environment, type SnippetName, snippetNames, snippets } from './snippets.ts';
import { TryCard } from './try-card.tsx';

const callableQuery = queryOptions({
  queryKey: ['connect'],
  queryFn: ({ signal }) => call(connect.assistants, {}, signal),
  // Names change on other pages.
  staleTime: 0,
});

type ConnectPageProps = {
  /** Id of the preselected assistant, if any. */
  assistantId: number | undefined;
  /** The preselected model, if no assistant is. */
  model?: string | undefined;
  onAssistantChange: (assistantId: number | undefined) => void;
};

/** How an API client uses an assistant or model: URL, name, variables and runnable code. */
export function ConnectPage(props: ConnectPageProps) {
  return (
    <Page
      title="Connect"
      width="settings"
      lead="Use your assistants and models from any program that supports the OpenAI API."
    >
      <ConnectCards {...props} />
    </Page>
  );
}

/** The content of the page, also shown with an assistant. */
export function ConnectCards(props: ConnectPageProps) {
  const callable = useQuery(callableQuery);
  const models = useQuery(modelsQuery);
  if (callable.isError && callable.data === undefined)
    return (
      <ErrorState
        title="Your assistants could not be loaded"
        message={errorText(callable.error)}
        busy={callable.isFetching}
        onRetry={() => void callable.refetch()}
      />
    );
  if (callable.data === undefined || models.isPending) return <LoadingCards />;
  return (
    <Cards
      {...props}
      assistants={callable.data}
      modelIds={allModels(models.data).map(({ id }) => programModelName(id))}
      usualModel={programModelName(models.data?.defaultModel ?? 'gpt-4o')}
    />
  );
}

/** As high as the usual content. */
function LoadingCards() {
  return (
    <div aria-busy="true" className="grid grid-cols-1 gap-4">
      <output className="sr-only">Loading your assistants and models</output>
      {['h-116 max-md:h-132', 'h-96', 'h-64'].map((height) => (
        <Card key={height} className={height}>
          <CardBody className="grid gap-3">
            <Skeleton className="h-5 w-48" />
            <Skeleton className="h-4 w-96 max-w-full" />
            <Skeleton className="mt-3 h-9 w-full" />
          </CardBody>
        </Card>
      ))}
    </div>
  );
}

type CardsProps = ConnectPageProps & {
  assistants: readonly CallableAssistant[];
  modelIds: readonly string[];
  usualModel: string;
};

function Cards(props: CardsProps) {
  const { assistants, modelIds, usualModel, assistantId, model: given = null, onAssistantChange } = props;
  const [chosen, setChosen] = useState(given);
  // Only here, so that it is gone with the page.
  const [token, setToken] = useState<string>();
  const named = assistants.find(({ id }) => id === assistantId);
  const model = named?.model ?? chosen ?? assistants[0]?.model ?? usualModel;
  const assistant = assistants.find((one) => one.model === model);
  const choose = (value: string) => {
    setChosen(value);
    onAssistantChange(assistants.find((one) => one.model === value)?.id);
  };
  return (
    <div className="grid grid-cols-1 gap-4">
      <Card aria-label="What your program needs">
        <CardHeader
          title="What your program needs"
          description="Two environment variables and a model. The snippets below read these variables."
        />
        <CardBody className="grid grid-cols-1 gap-5">
          <div className="grid grid-cols-1 items-start gap-5 md:grid-cols-2">
            <Field label="Assistant or model">
              {(control) => (
                <Select {...control} value={model} onChange={(event) => choose(event.target.value)}>
                  <Choices
                    assistants={assistants}
                    models={modelIds.includes(model) || assistant ? modelIds : [model, ...modelIds]}
                  />
                </Select>
              )}
            </Field>
            <CopyField
              label="Model in your program"
              hint={assistant?.alias ? `Also by name: ${assistant.alias}` : undefined}
              text={model}
            />
            <CopyField label="Base URL" text={baseUrl()} className="md:col-span-2" />
          </div>
          <section aria-label="Environment variables" className="min-w-0">
            <h3 className="mb-1.5 font-medium">Environment variables</h3>
            <CodeBlock language="bash" text={environment(baseUrl(), token)} />
          </section>
        </CardBody>
        <NewToken name={assistant?.name ?? model} token={token} onCreated={setToken} />
      </Card>
      <SnippetCard model={model} token={token} />
      <TryCard key={model} model={model} />
    </div>
  );
}

const baseUrl = () => `${window.location.origin}/v1`;

function Choices({ assistants, models }: { assistants: readonly CallableAssistant[]; models: readonly string[] }) {
  return (
    <>
      {assistants.length > 0 && (
        <optgroup label="Assistants">
          {assistants.map(({ id, name, model }) => (
            <option key={id} value={model}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
      {models.length > 0 && (
        <optgroup label="Models">
          {models.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </optgroup>
      )}
    </>
  );
}

type CopiedProps = { label: string; hint?: string | undefined; text: string; className?: string };

function CopyField({ label, hint, text, className }: CopiedProps) {
  return (
    <Field label={label} hint={hint} {...(className !== undefined && { className })}>
      {(control) => (
        <div className="flex gap-2">
          <Input
            {...control}
            readOnly
            value={text}
            spellCheck={false}
            onFocus={(event) => event.currentTarget.select()}
            className="min-w-0 flex-1 font-mono"
          />
          <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} size="md" />
        </div>
      )}
    </Field>
  );
}

function SnippetCard({ model, token }: { model: string; token: string | undefined }) {
  const [name, setName] = useState<SnippetName>('curl');
  const { language, install, code } = snippets(model)[name];
  const variables = token === undefined ? '' : `${environment(baseUrl(), token)}\n`;
  // A shell can read variables and command from one block.
  const isOneBlock = language === 'bash';
  return (
    <Card aria-label="Snippets">
      <CardHeader title="Snippets" description="Each asks one question and prints the answer." />
      <CardBody>
        <Tabs
          label="Language"
          look="segment"
          value={name}
          onValueChange={setName}
          items={snippetNames.map((value) => ({ value, label: value }))}
        >
          <div className="mt-4">
            {!isOneBlock && (variables || install) && (
              <CodeBlock language="bash" text={`${variables}${install ?? ''}`.trimEnd()} />
            )}
            <CodeBlock key={name} language={language} text={isOneBlock ? `${variables}${code}` : code} />
          </div>
        </Tabs>
      </CardBody>
    </Card>
  );
}
