import { TestSetChange, type TestSetDetail, testQuestionLimit } from '@roster/contracts/comparisons/test-sets';
import { ChevronDown, ChevronUp, Plus } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { Controller } from 'react-hook-form';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { problemsSchema, useSchemaForm } from '#web/lib/schema-form.ts';
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

type Values = { name: string; questions: readonly DraftQuestion[] };

function problemsOf({ name, questions }: Values) {
  const found: Partial<Record<keyof Values, string>> = {};
  const { error } = TestSetChange.safeParse({ name, questions: changedQuestions(questions) });
  for (const { path, message } of error?.issues ?? []) found[path[0] === 'name' ? 'name' : 'questions'] ??= message;
  return found;
}

const schema = problemsSchema(problemsOf);

/** Creates a test set or replaces its questions. */
export function SetDialog({ assistantId, set, onSaved, onClose }: SetDialogProps) {
  const [before] = useState(
    (): Values => ({ name: set?.name ?? '', questions: set?.items.map(keptQuestion) ?? [typedQuestion()] }),
  );
  const form = useSchemaForm(schema, before);
  const { errors, isDirty } = form.formState;
  const { create, update } = useSetCalls();
  const submit = form.handleSubmit(({ name, questions }) => {
    const then = { onSuccess: onSaved };
    if (set) update.mutate({ id: set.id, body: { name, questions: changedQuestions(questions) } }, then);
    else create.mutate({ assistantId, body: { name, questions: newQuestions(questions) } }, then);
  });
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
        when: isDirty && !create.isSuccess && !update.isSuccess,
        what: 'this test set',
        question: { description: 'Your questions will be lost.' },
      }}
      onSubmit={submit}
      onClose={onClose}
      className="grid gap-5"
    >
      <Field label="Name" required error={errors.name?.message}>
        {(control) => (
          <Input
            {...control}
            {...form.register('name', { onChange: () => form.clearErrors('name') })}
            placeholder="Such as ‘Refunds’"
          />
        )}
      </Field>
      <Controller
        control={form.control}
        name="questions"
        rules={{ onChange: () => form.clearErrors('questions') }}
        render={({ field: { value, onChange }, fieldState }) => (
          <Questions
            assistantId={assistantId}
            questions={value}
            error={fieldState.error?.message}
            onChange={onChange}
          />
        )}
      />
    </FormDialog>
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
