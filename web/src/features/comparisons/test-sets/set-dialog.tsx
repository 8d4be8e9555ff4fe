import { type TestSetDetail, testQuestionLimit, testSetNameLimit } from '@roster/contracts/comparisons/test-sets';
import { codePointLength } from '@roster/contracts/text/length';
import { ChevronDown, ChevronUp, Plus } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import {
  changedQuestions,
  type DraftQuestion,
  keptQuestion,
  newQuestions,
  nonBlank,
  typedQuestion,
} from './draft-question.ts';
import { useSetCalls } from './queries.ts';
import { QuestionRow } from './question-rows.tsx';
import { FromConversations, FromDataset } from './question-sources.tsx';

type SetDialogProps = {
  assistantId: number;
  /** undefined for a new set. */
  set?: TestSetDetail | undefined;
  onSaved: (set: TestSetDetail) => void;
  onClose: () => void;
};

type Problems = { name?: string; questions?: string };
const questionLimit = 10_000;

function problemsOf(name: string, questions: readonly DraftQuestion[]): Problems {
  const found: Problems = {};
  if (name.trim() === '') found.name = 'Name is required';
  else if (codePointLength(name.trim()) > testSetNameLimit) found.name = `At most ${testSetNameLimit} characters`;
  const asked = nonBlank(questions);
  if (asked.length === 0) found.questions = 'Enter or choose at least one question';
  else if (asked.some(({ from, text }) => from === 'typed' && codePointLength(text) > questionLimit))
    found.questions = `A question cannot exceed ${questionLimit} characters`;
  return found;
}

/** Creates a test set or replaces its questions. */
export function SetDialog({ assistantId, set, onSaved, onClose }: SetDialogProps) {
  const first = set?.items.map(keptQuestion) ?? [typedQuestion()];
  const [name, setName] = useState(set?.name ?? '');
  const [questions, setQuestions] = useState<readonly DraftQuestion[]>(first);
  // Errors appear after the first attempt to submit.
  const [wasTried, setTried] = useState(false);
  const problems = wasTried ? problemsOf(name, questions) : {};
  const [isChanged, setChanged] = useState(false);
  const nameInput = useRef<HTMLInputElement>(null);
  const { create, update } = useSetCalls();
  const change = (next: readonly DraftQuestion[]) => {
    setChanged(true);
    setQuestions(next);
  };
  const submit = () => {
    const found = problemsOf(name, questions);
    setTried(true);
    if (found.name) nameInput.current?.focus();
    if (found.name || found.questions) return;
    const then = { onSuccess: onSaved };
    if (set) update.mutate({ id: set.id, body: { name, questions: changedQuestions(questions) } }, then);
    else create.mutate({ assistantId, body: { name, questions: newQuestions(questions) } }, then);
  };
  return (
    <FormDialog
      title={set ? 'Edit test set' : 'New test set'}
      description={
        set
          ? 'Earlier runs do not change. A reworded question counts as a new one.'
          : 'Questions that show the effect of changing the assistant. Nothing is asked yet.'
      }
      size="lg"
      action={set ? ['Save', 'Saving...'] : ['Create test set', 'Creating...']}
      busy={create.isPending || update.isPending}
      failed={{ title: 'Failed to save the test set', error: create.error ?? update.error }}
      unsaved={{
        when: isChanged && !create.isSuccess && !update.isSuccess,
        what: 'this test set',
        question: { description: 'Your questions will be lost.' },
      }}
      onSubmit={submit}
      onClose={onClose}
      className="grid gap-5"
    >
      <NameField
        ref={nameInput}
        name={name}
        error={problems.name}
        onChange={(next) => {
          setChanged(true);
          setName(next);
        }}
      />
      <Questions assistantId={assistantId} questions={questions} error={problems.questions} onChange={change} />
    </FormDialog>
  );
}

type NameFieldProps = {
  ref: RefObject<HTMLInputElement | null>;
  name: string;
  error: string | undefined;
  onChange: (name: string) => void;
};

function NameField({ ref, name, error, onChange }: NameFieldProps) {
  return (
    <Field label="Name" required error={error}>
      {(control) => (
        <Input
          {...control}
          ref={ref}
          value={name}
          placeholder="Such as ‘Refunds’"
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

type QuestionsProps = {
  assistantId: number;
  questions: readonly DraftQuestion[];
  error: string | undefined;
  onChange: (questions: readonly DraftQuestion[]) => void;
};

function focusLast(box: RefObject<HTMLElement | null>) {
  requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('ol > li:last-child textarea')?.focus());
}

type Source = 'conversations' | 'dataset';

function Questions({ assistantId, questions, error, onChange }: QuestionsProps) {
  const box = useRef<HTMLFieldSetElement>(null);
  return (
    <fieldset ref={box} className="min-w-0">
      <legend className="mb-1.5 font-medium">{`Questions (${nonBlank(questions).length} of at most ${testQuestionLimit})`}</legend>
      <ol className="space-y-3">
        {questions.map((question, index) => (
          <QuestionRow
            key={question.key}
            number={index + 1}
            question={question}
            isInvalid={error !== undefined && question.text.trim() === ''}
            onChange={(next) => onChange(questions.map((other) => (other.key === next.key ? next : other)))}
            onRemove={() => onChange(questions.filter(({ key }) => key !== question.key))}
          />
        ))}
      </ol>
      {error && (
        <p role="alert" className="mt-1.5 text-destructive-text text-sm">
          {error}
        </p>
      )}
      <Adding assistantId={assistantId} questions={questions} onChange={onChange} onTyped={() => focusLast(box)} />
    </fieldset>
  );
}

type AddingProps = Omit<QuestionsProps, 'error'> & { onTyped: () => void };

/** Adds questions from three sources. */
function Adding({ assistantId, questions, onChange, onTyped }: AddingProps) {
  const [source, setSource] = useState<Source | null>(null);
  const isFull = questions.length >= testQuestionLimit;
  const full = isFull ? `At most ${testQuestionLimit} questions` : undefined;
  const chosen = new Set(questions.map(({ key }) => key));
  const choose = (question: DraftQuestion, isChosen: boolean) =>
    // Drops empty boxes before the selected questions.
    onChange(
      isChosen
        ? [...questions.filter(({ from, text }) => from !== 'typed' || text !== ''), question]
        : questions.filter(({ key }) => key !== question.key),
    );
  const toggle = (other: Source) => setSource(source === other ? null : other);
  return (
    <>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={Plus}
          className="max-md:h-10"
          disabledReason={full}
          onClick={() => {
            onChange([...questions, typedQuestion()]);
            onTyped();
          }}
        >
          Type a question
        </Button>
        <SourceButton
          label="From conversations"
          isOpen={source === 'conversations'}
          onPress={() => toggle('conversations')}
        />
        <SourceButton label="From a dataset" isOpen={source === 'dataset'} onPress={() => toggle('dataset')} />
      </div>
      {source && (
        <div className="mt-3">
          {source === 'conversations' ? (
            <FromConversations assistantId={assistantId} chosen={chosen} isFull={isFull} onChoose={choose} />
          ) : (
            <FromDataset chosen={chosen} isFull={isFull} onChoose={choose} />
          )}
        </div>
      )}
    </>
  );
}

type SourceButtonProps = { label: string; isOpen: boolean; onPress: () => void };

const SourceButton = ({ label, isOpen, onPress }: SourceButtonProps) => (
  <Button
    size="sm"
    icon={isOpen ? ChevronUp : ChevronDown}
    className="max-md:h-10"
    aria-expanded={isOpen}
    onClick={onPress}
  >
    {label}
  </Button>
);
