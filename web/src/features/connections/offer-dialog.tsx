import type { ConnectionPreset, LocalServer } from '@roster/contracts/connections/connections';
import type { ConnectionOffer } from '@roster/contracts/connections/offers';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { problemsSchema, useSchemaForm } from '#web/lib/schema-form.ts';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { DraftFields, draftOf, freeName, problemsOf } from './add-dialog.tsx';
import {
  editedValues,
  fixedAddress,
  KeyField,
  keptKeyHint,
  TextField,
  type Values,
  WaitField,
} from './connection-fields.tsx';
import { changeOf, problemsOfChange, RemoveKey } from './edit-dialog.tsx';
import { HeaderFields } from './header-fields.tsx';
import { offersQuery, useAddOffer, useChangeOffer } from './offer-queries.ts';
import { bodyOfTerms, problemsOfTerms, TermFields, termsOf } from './offer-terms.tsx';
import { PresetChoice } from './preset-choice.tsx';

type Chosen = { preset: ConnectionPreset; baseUrl: string };

/** Offers a connection: first the provider, then its key, its people and its budgets. */
export function AddOfferDialog({ onClose }: { onClose: () => void }) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  if (chosen) return <NewOffer {...chosen} onBack={() => setChosen(null)} onClose={onClose} />;
  const choose = (preset: ConnectionPreset, server?: LocalServer) =>
    setChosen({ preset, baseUrl: server?.baseUrl ?? preset.baseUrl ?? '' });
  return (
    <Dialog open onOpenChange={onClose} size="lg" title="Offer Connection" description="Choose the provider.">
      <PresetChoice onChoose={choose} />
    </Dialog>
  );
}

/** The terms beside the form, with their problems after a submit. */
function useTerms(offer?: ConnectionOffer) {
  const [terms, setTerms] = useState(() => termsOf(offer));
  const [isSubmitted, setSubmitted] = useState(false);
  const problems = problemsOfTerms(terms);
  const areRight = () => {
    setSubmitted(true);
    return Object.keys(problems).length === 0;
  };
  return { terms, setTerms, problems: isSubmitted ? problems : {}, areRight };
}

function NewOffer({ preset, baseUrl, onBack, onClose }: Chosen & { onBack: () => void; onClose: () => void }) {
  const names = useQuery(offersQuery).data?.offers.map(({ name }) => name) ?? [];
  const [schema] = useState(() => problemsSchema((values: Values) => problemsOf(preset, values)));
  const name = preset.id === 'other' ? '' : freeName(preset.name.replaceAll('/', ' '), names);
  const form = useSchemaForm(schema, { name, baseUrl, key: '', firstTokenSeconds: '', headers: [] });
  const { terms, setTerms, problems, areRight } = useTerms();
  const add = useAddOffer();
  const submit = form.handleSubmit((values) => {
    if (!areRight()) return;
    add.mutate(
      { ...draftOf(preset, values), ...bodyOfTerms(terms) },
      {
        onSuccess: (made) => {
          onClose();
          toast({ title: 'Connection offered', description: made.notice ?? `People can use “${made.name}” now.` });
        },
        onError: (error) => void showFieldErrors(form, error),
      },
    );
  });
  return (
    <FormDialog
      title={preset.id === 'other' ? 'Offer Connection' : `Offer ${preset.name}`}
      description="People use it without seeing its key. You see what they spend, never what they write."
      action={['Offer Connection', 'Checking the key...']}
      busy={add.isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Failed to offer the connection', error: add.error }}
      className="grid gap-5"
    >
      <DraftFields preset={preset} form={form} onBack={onBack} />
      <TermFields terms={terms} problems={problems} onChange={setTerms} />
    </FormDialog>
  );
}

const changeSchema = problemsSchema(problemsOfChange);

/** Changes an offered connection. Its address stays. */
export function EditOfferDialog({ offer, onClose }: { offer: ConnectionOffer; onClose: () => void }) {
  const { id, hasKey } = offer;
  const form = useSchemaForm(changeSchema, editedValues(offer));
  const { terms, setTerms, problems, areRight } = useTerms(offer);
  const [removesKey, setRemovesKey] = useState(false);
  const change = useChangeOffer();
  const submit = form.handleSubmit((values) => {
    if (!areRight()) return;
    change.mutate(
      { id, ...changeOf(values, offer.headerNames), ...(removesKey && { key: null }), ...bodyOfTerms(terms) },
      { onSuccess: onClose, onError: (error) => void showFieldErrors(form, error) },
    );
  });
  return (
    <FormDialog
      title="Edit Offered Connection"
      description={fixedAddress(offer)}
      action={['Save Changes', 'Saving...']}
      busy={change.isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Failed to update the connection', error: change.error }}
      className="grid gap-5"
    >
      <TextField form={form} label="Name" name="name" autoFocus />
      {!removesKey && <KeyField form={form} isOptional hint={keptKeyHint(offer)} />}
      {hasKey && <RemoveKey checked={removesKey} onChange={setRemovesKey} />}
      <TermFields terms={terms} problems={problems} onChange={setTerms} />
      <WaitField form={form} />
      <HeaderFields form={form} />
    </FormDialog>
  );
}
