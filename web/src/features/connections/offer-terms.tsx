import type { ConnectionOffer, OfferAudience, OfferPerson } from '@roster/contracts/connections/offers';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { readAmount } from '#web/lib/text/amount.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { peopleQuery } from './offer-queries.ts';

export type Terms = { audience: OfferAudience; people: readonly OfferPerson[]; perPerson: string; total: string };
type TermProblems = { perPerson?: string; total?: string };

const typed = (usd: number | null) => (usd === null ? '' : String(usd));

export const termsOf = (offer?: ConnectionOffer): Terms => ({
  audience: offer?.audience ?? 'everybody',
  people: offer?.people ?? [],
  perPerson: typed(offer?.monthlyUsdPerPerson ?? null),
  total: typed(offer?.monthlyUsdTotal ?? null),
});

const limitOf = (text: string) => (text.trim() === '' ? null : readAmount(text));

export function problemsOfTerms({ perPerson, total }: Terms): TermProblems {
  const isWrong = (text: string) => {
    const limit = limitOf(text);
    return limit !== null && !(limit >= 0.01 && limit <= 1_000_000);
  };
  const message = 'Enter an amount from $0.01 to $1,000,000';
  return { ...(isWrong(perPerson) && { perPerson: message }), ...(isWrong(total) && { total: message }) };
}

/** As the calls take it. People of an offer for everybody are kept for the day it is for chosen people again. */
export const bodyOfTerms = ({ audience, people, perPerson, total }: Terms) => ({
  audience,
  people: people.map(({ id }) => id),
  monthlyUsdPerPerson: limitOf(perPerson),
  monthlyUsdTotal: limitOf(total),
});

type TermFieldsProps = { terms: Terms; problems: TermProblems; onChange: (terms: Terms) => void };

/** The people who may use an offered connection, and what they may spend. */
export function TermFields({ terms, problems, onChange }: TermFieldsProps) {
  const change = (changes: Partial<Terms>) => onChange({ ...terms, ...changes });
  return (
    <>
      <RadioGroup
        label="Offered to"
        layout="row"
        value={terms.audience}
        onValueChange={(audience) => change({ audience })}
        options={[
          { value: 'everybody', label: 'Everybody' },
          { value: 'chosen', label: 'Chosen people' },
        ]}
      />
      {terms.audience === 'chosen' && <People people={terms.people} onChange={(people) => change({ people })} />}
      <div className="grid gap-5 sm:grid-cols-2">
        <Amount
          label="Monthly budget for each person (USD)"
          value={terms.perPerson}
          problem={problems.perPerson}
          onChange={(perPerson) => change({ perPerson })}
        />
        <Amount
          label="Monthly budget for all (USD)"
          value={terms.total}
          problem={problems.total}
          onChange={(total) => change({ total })}
        />
      </div>
      <p className="text-muted-foreground text-sm">
        Months are in UTC. Budgets cannot be exceeded. With a budget, models whose price is not known are refused.
      </p>
    </>
  );
}

type AmountProps = {
  label: string;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
};

const Amount = ({ label, value, problem, onChange }: AmountProps) => (
  <Field label={label} hint="Leave empty for no limit." error={problem}>
    {(control) => (
      <Input
        {...control}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        inputMode="decimal"
        autoComplete="off"
        dir="ltr"
      />
    )}
  </Field>
);

const nameOf = ({ name, email }: OfferPerson) => (name ? `${name} (${email})` : email);

type PeopleProps = { people: readonly OfferPerson[]; onChange: (people: readonly OfferPerson[]) => void };

function People({ people, onChange }: PeopleProps) {
  const [search, setSearch] = useState('');
  const { data } = useQuery(peopleQuery(search.trim()));
  const found =
    search.trim() === '' ? [] : (data?.items ?? []).filter(({ id }) => !people.some((one) => one.id === id));
  return (
    <div className="grid gap-2">
      <Field
        label="People"
        hint={people.length === 0 ? 'Nobody is chosen yet. Search for a name or an email address.' : undefined}
      >
        {(control) => (
          <Input
            {...control}
            type="search"
            placeholder="Name or email"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        )}
      </Field>
      {found.length > 0 && (
        <ul aria-label="Accounts found" className="grid gap-1">
          {found.map(({ id, name, email }) => (
            <li key={id}>
              <Button
                size="sm"
                onClick={() => {
                  onChange([...people, { id, name, email }]);
                  setSearch('');
                }}
                className="max-w-full"
              >
                <span className="truncate">Add {nameOf({ id, name, email })}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {people.length > 0 && (
        <ul aria-label="Chosen people" className="divide-y divide-border rounded-md border border-border">
          {people.map((person) => (
            <li key={person.id} className="flex items-center gap-2 py-1 ps-3 pe-1">
              <span dir="auto" className="wrap-anywhere min-w-0 flex-1 text-sm">
                {nameOf(person)}
              </span>
              <IconButton
                size="sm"
                label={`Remove ${nameOf(person)}`}
                icon={X}
                onClick={() => onChange(people.filter(({ id }) => id !== person.id))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
