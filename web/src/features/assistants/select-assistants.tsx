import type { ImportCandidate } from '@roster/contracts/assistants/assistants';
import { ArrowLeft, Bot, Info } from 'lucide-react';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { toastError } from '#web/lib/toast.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';

type SelectAssistantsProps = {
  candidates: ImportCandidate[];
  onBack: () => void;
  onImport: (ids: string[]) => void;
};

/** Second step. Assistants imported earlier cannot be selected. */
export function SelectAssistants({ candidates, onBack, onImport }: SelectAssistantsProps) {
  const open = candidates.filter((candidate) => !candidate.importedAs);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { reason } = useEditAccess();
  const choose = (id: string, on: boolean) =>
    setChosen((before) => (on ? new Set([...before, id]) : new Set([...before].filter((other) => other !== id))));
  const start = () => {
    if (chosen.size > 0) return onImport([...chosen]);
    toastError({
      title: 'No assistants selected',
      description: 'Please select at least one assistant to import',
    });
  };

  if (candidates.length === 0) return <NothingToImport onBack={onBack} />;
  return (
    <Card>
      <CardHeader title="Select assistants" description={`${formatCount(candidates.length, 'assistant')} found.`} />
      <div className="mt-4 border-border border-y bg-background px-5 py-2.5">
        <Checkbox
          label="Select all"
          checked={open.length > 0 && chosen.size === open.length}
          disabled={open.length === 0}
          onChange={(event) =>
            setChosen(new Set(event.currentTarget.checked ? open.map((candidate) => candidate.id) : []))
          }
        />
      </div>
      <CandidateList candidates={candidates} chosen={chosen} onChoose={choose} />
      <footer className="flex justify-between gap-2 border-border border-t px-5 py-4">
        <BackButton onBack={onBack} />
        <Button variant="primary" disabledReason={reason} onClick={start}>
          {chosen.size > 0 ? `Import ${formatCount(chosen.size, 'assistant')}` : 'Import'}
        </Button>
      </footer>
    </Card>
  );
}

function BackButton({ onBack }: Pick<SelectAssistantsProps, 'onBack'>) {
  return (
    <Button icon={ArrowLeft} onClick={onBack}>
      Back
    </Button>
  );
}

function NothingToImport({ onBack }: Pick<SelectAssistantsProps, 'onBack'>) {
  return (
    <EmptyState
      icon={Bot}
      title="Nothing to import"
      text="This provider account has no assistants."
      action={<BackButton onBack={onBack} />}
    />
  );
}

type CandidateListProps = {
  candidates: readonly ImportCandidate[];
  chosen: ReadonlySet<string>;
  onChoose: (id: string, on: boolean) => void;
};

function CandidateList({ candidates, chosen, onChoose }: CandidateListProps) {
  return (
    <ul className="divide-y divide-border">
      {candidates.map((candidate) => (
        <li key={candidate.id} className="px-5 py-4">
          <Checkbox
            checked={chosen.has(candidate.id)}
            disabled={candidate.importedAs !== null}
            onChange={(event) => onChoose(candidate.id, event.currentTarget.checked)}
            label={<CandidateText candidate={candidate} />}
          />
        </li>
      ))}
    </ul>
  );
}

function CandidateText({ candidate }: { candidate: ImportCandidate }) {
  return (
    <span className="block min-w-0">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{candidate.name}</span>
        {candidate.importedAs && <Badge>Imported as {candidate.importedAs.name}</Badge>}
      </span>
      <span className="mt-0.5 flex flex-wrap gap-x-4 font-mono text-muted-foreground text-xs">
        <span>{candidate.model}</span>
        <span className="min-w-0 break-all">{candidate.id}</span>
      </span>
      {candidate.description && (
        <span className="mt-1 line-clamp-2 text-muted-foreground text-sm">{candidate.description}</span>
      )}
      {candidate.notes.map((note) => (
        <span key={note} className="mt-1 flex gap-2 text-muted-foreground text-sm">
          <Info aria-hidden className="mt-[3px] size-3.5" />
          {note}
        </span>
      ))}
    </span>
  );
}
