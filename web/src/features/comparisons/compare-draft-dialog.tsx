import type { Assistant, AssistantChanges } from '@roster/contracts/assistants/assistants';
import { DraftQuestions, draftComparisons } from '@roster/contracts/comparisons/drafts';
import { isBlank } from '@roster/contracts/text/blank';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Controller } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { call, errorText } from '#web/lib/api-client.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { type TypedPrompt, TypedPrompts } from './typed-prompts.tsx';

type CompareDraftDialogProps = {
  assistant: Assistant;
  changes: AssistantChanges;
  onPrepared: (comparisonId: number) => void;
  onClose: () => void;
};

/** The chosen questions, then the typed ones. */
const QuestionFields = z
  .object({ chosen: z.array(z.string()), typed: z.custom<readonly TypedPrompt[]>() })
  .transform(({ chosen, typed }, context) => {
    const written = typed.map(({ text }) => text.trim()).filter((text) => !isBlank(text));
    const { data, error } = DraftQuestions.safeParse([...chosen, ...written]);
    if (data) return data;
    context.addIssue({ code: 'custom', path: ['typed'], message: error.issues[0]?.message });
    return z.NEVER;
  });

/** Selects the questions that the draft and the saved version are asked. */
export function CompareDraftDialog({ assistant, changes, onPrepared, onClose }: CompareDraftDialogProps) {
  const form = useSchemaForm(QuestionFields, { chosen: [], typed: [{ key: 1, text: '' }] });
  const { mutate, isPending, error } = useMutation({
    mutationFn: (questions: string[]) =>
      call(draftComparisons.create, { params: { id: assistant.id }, body: { changes, questions } }),
    onSuccess: ({ id }) => onPrepared(id),
  });
  return (
    <FormDialog
      title={`Compare with version ${assistant.version}`}
      description="Asks your draft and the saved version the same questions. You see the cost first, and your changes are kept."
      action={['Prepare comparison', 'Preparing...']}
      busy={isPending}
      onSubmit={form.handleSubmit((questions) => mutate(questions))}
      onClose={onClose}
      failed={{ title: 'Failed to prepare the comparison', error, fallback: 'Something went wrong.' }}
      className="space-y-5"
    >
      <Controller
        control={form.control}
        name="chosen"
        render={({ field: { value, onChange } }) => (
          <LatestQuestions assistantId={assistant.id} chosen={value} onChange={onChange} />
        )}
      />
      <Controller
        control={form.control}
        name="typed"
        render={({ field: { ref, value, onChange }, fieldState }) => (
          <TypedPrompts ref={ref} prompts={value} onChange={onChange} error={fieldState.error?.message} />
        )}
      />
      <Notice title="What is compared">
        The instructions, model, temperature, reasoning effort and answer format, with the assistant’s files. Tools are
        not called in a comparison.
      </Notice>
    </FormDialog>
  );
}

type LatestQuestionsProps = {
  assistantId: number;
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
};

function LatestQuestions({ assistantId, chosen, onChange }: LatestQuestionsProps) {
  const query = useQuery({
    queryKey: ['comparisons', 'questions', assistantId],
    queryFn: ({ signal }) => call(draftComparisons.questions, { params: { id: assistantId } }, signal),
  });
  if (query.isError)
    return (
      <RetryNotice tone="destructive" title="Failed to load the questions of your conversations" query={query}>
        {errorText(query.error)}
      </RetryNotice>
    );
  if (!query.data || query.data.length === 0) return null;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-medium">From your conversations</legend>
      <ul className="max-h-60 space-y-1 overflow-y-auto rounded-lg border border-border px-3 py-2">
        {query.data.map(({ messageId, text }) => (
          <li key={messageId} className="flex min-h-8 items-center max-md:min-h-10">
            <Checkbox
              label={<span className="wrap-anywhere line-clamp-2">{text}</span>}
              checked={chosen.includes(text)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, text] : chosen.filter((other) => other !== text))
              }
            />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
