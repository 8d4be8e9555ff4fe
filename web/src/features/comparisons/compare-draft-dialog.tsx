import type { Assistant, AssistantChanges } from '@roster/contracts/assistants/assistants';
import { draftComparisons, draftQuestionLimit } from '@roster/contracts/comparisons/drafts';
import { isBlank } from '@roster/contracts/text/blank';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { call, errorText } from '#web/lib/api-client.ts';
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

function problemOf({ length }: readonly string[]): string | undefined {
  if (length === 0) return 'Enter or choose at least one question';
  return length > draftQuestionLimit ? `At most ${draftQuestionLimit} questions` : undefined;
}

/** Selects the questions that the draft and the saved version are asked. */
export function CompareDraftDialog({ assistant, changes, onPrepared, onClose }: CompareDraftDialogProps) {
  const [typed, setTyped] = useState<TypedPrompt[]>([{ key: 1, text: '' }]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // Errors appear after the first attempt to submit.
  const [wasTried, setTried] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (questions: string[]) =>
      call(draftComparisons.create, { params: { id: assistant.id }, body: { changes, questions } }),
    onSuccess: ({ id }) => onPrepared(id),
  });
  const questions = [...chosen, ...typed.map(({ text }) => text.trim()).filter((text) => !isBlank(text))];
  const problem = problemOf(questions);
  const submit = () => {
    setTried(true);
    if (!problem) mutate(questions);
  };
  const toggle = (text: string, isChosen: boolean) =>
    setChosen((now) => new Set(isChosen ? [...now, text] : [...now].filter((other) => other !== text)));
  return (
    <FormDialog
      title={`Compare with version ${assistant.version}`}
      description="Asks your draft and the saved version the same questions. You see the cost first, and your changes are kept."
      action={['Prepare comparison', 'Preparing...']}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Failed to prepare the comparison', error, fallback: 'Something went wrong.' }}
      className="space-y-5"
    >
      <LatestQuestions assistantId={assistant.id} chosen={chosen} onToggle={toggle} />
      <TypedPrompts prompts={typed} onChange={setTyped} error={wasTried ? problem : undefined} />
      <Notice title="What is compared">
        The instructions, model, temperature, reasoning effort and answer format, with the assistant’s files. Tools are
        not called in a comparison.
      </Notice>
    </FormDialog>
  );
}

type LatestQuestionsProps = {
  assistantId: number;
  chosen: ReadonlySet<string>;
  onToggle: (text: string, isChosen: boolean) => void;
};

function LatestQuestions({ assistantId, chosen, onToggle }: LatestQuestionsProps) {
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
              checked={chosen.has(text)}
              onChange={(event) => onToggle(text, event.target.checked)}
            />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
