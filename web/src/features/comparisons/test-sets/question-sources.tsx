import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { askedQuestion, type DraftQuestion, exampleQuestion } from './draft-question.ts';
import { askedQuery, datasetsQuery, examplesQuery } from './queries.ts';

type SourceProps = {
  /** Keys of questions already in the set. */
  chosen: ReadonlySet<string>;
  isFull: boolean;
  onChoose: (question: DraftQuestion, isChosen: boolean) => void;
};

/** Questions from the assistant's conversations. */
export function FromConversations({ assistantId, ...choice }: SourceProps & { assistantId: number }) {
  const query = useQuery(askedQuery(assistantId));
  return (
    <Source
      query={query}
      label="From conversations"
      failed="Failed to load the questions of your conversations"
      empty="This assistant has not answered any question in a conversation yet."
    >
      {(items) =>
        items.map((asked) => (
          <Choice
            key={asked.answerId}
            question={askedQuestion(asked)}
            about={
              <>
                <bdi>{asked.title}</bdi>, <RelativeTime date={asked.createdAt} />
                {asked.files > 0 && ` · ${formatCount(asked.files, 'file')} not sent`}
              </>
            }
            {...choice}
          />
        ))
      }
    </Source>
  );
}

/** Examples of a dataset, with their answers as expected ones. */
export function FromDataset(choice: SourceProps) {
  const list = useQuery(datasetsQuery);
  const [picked, setPicked] = useState<number>();
  const datasetId = picked ?? list.data?.[0]?.id;
  const query = useQuery({ ...examplesQuery(datasetId ?? 0), enabled: datasetId !== undefined });
  if (list.isError)
    return (
      <RetryNotice tone="destructive" title="Failed to load datasets" query={list}>
        {errorText(list.error)}
      </RetryNotice>
    );
  if (list.data?.length === 0)
    return (
      <p className="text-muted-foreground">
        No datasets yet. Rate answers, then create a dataset under Fine-Tuning, Datasets.
      </p>
    );
  return (
    <div className="grid gap-3">
      {list.data && (
        <Field label="Dataset">
          {(control) => (
            <Select {...control} value={datasetId} onChange={(event) => setPicked(Number(event.target.value))}>
              {list.data.map(({ id, name, examples }) => (
                <option key={id} value={id}>
                  {`${name} (${formatCount(examples, 'example')})`}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Source
        query={query}
        label="From a dataset"
        failed="Failed to load the examples"
        empty="This dataset has no examples."
      >
        {(items) =>
          items.map((example) => (
            <Choice key={example.id} question={exampleQuestion(example)} about={null} {...choice} />
          ))
        }
      </Source>
    </div>
  );
}

type ListProps<Item> = {
  query: UseQueryResult<Item[]>;
  label: string;
  failed: string;
  empty: string;
  children: (items: Item[]) => ReactNode;
};

function Source<Item>({ query, label, failed, empty, children }: ListProps<Item>) {
  if (query.isError)
    return (
      <RetryNotice tone="destructive" title={failed} query={query}>
        {errorText(query.error)}
      </RetryNotice>
    );
  if (!query.data) return <SpinnerPanel label="Loading questions" className="min-h-24" />;
  if (query.data.length === 0) return <p className="text-muted-foreground">{empty}</p>;
  return (
    <ul
      aria-label={label}
      className="max-h-64 divide-y divide-border overflow-y-auto rounded-md border border-border bg-background"
    >
      {children(query.data)}
    </ul>
  );
}

type ChoiceProps = SourceProps & { question: DraftQuestion; about: ReactNode };

function Choice({ question, about, chosen, isFull, onChoose }: ChoiceProps) {
  const isChosen = chosen.has(question.key);
  return (
    <li>
      <Checkbox
        className="px-3.5 py-2 max-md:py-2.5"
        label={<span className="wrap-anywhere line-clamp-2">{question.text}</span>}
        description={about}
        checked={isChosen}
        disabled={isFull && !isChosen}
        onChange={(event) => onChoose(question, event.currentTarget.checked)}
      />
    </li>
  );
}
