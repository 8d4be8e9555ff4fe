import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useRef, useState } from 'react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { modelName } from '#web/api/model-names.ts';
import { allModels, modelsQuery } from '#web/api/models.ts';
import { projectsQuery } from '#web/api/projects.ts';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { type SearchFilters, useSearchFilters } from './search-filters.ts';

type Kind = keyof SearchFilters;
const labels: Record<Kind, string> = {
  withAssistant: 'Assistant',
  withModel: 'Model',
  from: 'From',
  to: 'Until',
  files: 'Files',
  rating: 'Rating',
  inProject: 'Project',
};
const kinds = [
  'withAssistant',
  'withModel',
  'inProject',
  'from',
  'to',
  'files',
  'rating',
] as const satisfies readonly Kind[];

/** A day as people read it, from YYYY-MM-DD. */
const shownDay = (day: string) =>
  new Date(`${day}T00:00`).toLocaleDateString('en', { year: 'numeric', month: 'short', day: 'numeric' });

/** The names of what can be chosen for a kind of filter, by value. */
function useChoices(): Record<Exclude<Kind, 'from' | 'to'>, [value: string, name: string][]> {
  const assistants = useQuery(assistantsQuery);
  const models = useQuery(modelsQuery);
  const projects = useQuery(projectsQuery);
  return {
    withAssistant: assistants.data?.map(({ id, name }) => [String(id), name]) ?? [],
    withModel: allModels(models.data).map(({ id }) => [id, modelName(id)]),
    inProject: projects.data?.map(({ id, name }) => [String(id), name]) ?? [],
    files: [
      ['true', 'With files'],
      ['false', 'Without files'],
    ],
    rating: [
      ['good', 'Good answer'],
      ['bad', 'Bad answer'],
    ],
  };
}
type Choices = ReturnType<typeof useChoices>;

/** The filter for a chosen value. */
function chosen(kind: Kind, value: string): SearchFilters {
  if (kind === 'withAssistant' || kind === 'inProject') return { [kind]: Number(value) };
  if (kind === 'files') return { files: value === 'true' };
  if (kind === 'rating') return { rating: value === 'good' ? 'good' : 'bad' };
  return { [kind]: value };
}

function chipText(kind: Kind, value: string, choices: Choices) {
  if (kind === 'from' || kind === 'to') return `${labels[kind]} ${shownDay(value)}`;
  return choices[kind].find(([each]) => each === value)?.[1] ?? `${labels[kind]} ${value}`;
}

/** Filters of the list of conversations: chips for those that are set, and a field to add one. */
export function FilterRow() {
  const { filters, set: setFilters, clear } = useSearchFilters();
  const choices = useChoices();
  const [adding, setAdding] = useState<Kind | null>(null);
  const select = useRef<HTMLSelectElement>(null);
  const set = kinds.filter((kind) => filters[kind] !== undefined);
  const left = kinds.filter((kind) => filters[kind] === undefined);
  const remove = (kind: Kind) => {
    setFilters({ [kind]: undefined });
    select.current?.focus();
  };
  return (
    <fieldset className="mx-3 mb-2 flex min-w-0 shrink-0 flex-wrap items-center gap-1.5">
      <legend className="sr-only">Filters</legend>
      {set.map((kind) => (
        <Chip key={kind} text={chipText(kind, String(filters[kind]), choices)} onRemove={() => remove(kind)} />
      ))}
      {set.length > 1 && (
        <button
          type="button"
          onClick={clear}
          className="rounded-sm px-1.5 py-0.5 text-muted-foreground text-sm hover:text-foreground max-md:min-h-10"
        >
          Clear all
        </button>
      )}
      {left.length > 0 && (
        <div className="flex w-full min-w-0 gap-1.5">
          <Select
            ref={select}
            aria-label="Add a filter"
            value={adding ?? ''}
            onChange={(event) => setAdding(kinds.find((kind) => kind === event.currentTarget.value) ?? null)}
            className="min-w-0 flex-1"
          >
            <option value="">Add a filter</option>
            {left.map((kind) => (
              <option key={kind} value={kind}>
                {labels[kind]}
              </option>
            ))}
          </Select>
          {adding && (
            <ValueField
              key={adding}
              kind={adding}
              choices={choices}
              onChosen={(value) => {
                setFilters(chosen(adding, value));
                setAdding(null);
                select.current?.focus();
              }}
            />
          )}
        </div>
      )}
    </fieldset>
  );
}

type ValueFieldProps = { kind: Kind; choices: Choices; onChosen: (value: string) => void };

function ValueField({ kind, choices, onChosen }: ValueFieldProps) {
  const [day, setDay] = useState('');
  if (kind === 'from' || kind === 'to')
    return (
      <Input
        type="date"
        aria-label={labels[kind]}
        max="9999-12-30"
        value={day}
        onChange={(event) => setDay(event.currentTarget.value)}
        // Typing a year changes the day with each digit.
        onBlur={() => day !== '' && onChosen(day)}
        onKeyDown={(event) => event.key === 'Enter' && day !== '' && onChosen(day)}
        className="flex-1"
      />
    );
  return (
    <Select
      aria-label={labels[kind]}
      value=""
      onChange={(event) => onChosen(event.currentTarget.value)}
      className="flex-1"
    >
      <option value="" disabled>
        Choose
      </option>
      {choices[kind].map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </Select>
  );
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <span className="inline-flex h-7 min-w-0 max-w-full items-center rounded-sm bg-active ps-2 text-sm max-md:h-10">
      <span dir="auto" className="truncate">
        {text}
      </span>
      <button
        type="button"
        aria-label={`Remove the filter ${text}`}
        onClick={onRemove}
        className="flex size-7 shrink-0 items-center justify-center rounded-sm text-muted-foreground hover:text-foreground max-md:size-10"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </span>
  );
}
