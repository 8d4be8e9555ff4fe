import { testQuestionLimit, testSets } from '@roster/contracts/comparisons/test-sets';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ListPlus } from 'lucide-react';
import { useEditAccess } from '#web/api/current-user.ts';
import { refreshTestSets } from '#web/features/comparisons/shared/refresh.ts';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/states/toast.tsx';

const setName = 'From trials';

/** Adds a question to the assistant's set of this name, which is made with the first one. Returns the set's name. */
async function keep(assistantId: number, text: string): Promise<string> {
  const { items } = await call(testSets.list, { params: { id: assistantId } });
  const set = items.find(({ name, questions }) => name === setName && questions < testQuestionLimit);
  const question = { kind: 'typed', text, expected: null } as const;
  if (!set) {
    const body = { name: setName, questions: [question] };
    return (await call(testSets.create, { params: { id: assistantId }, body })).name;
  }
  const before = await call(testSets.set, { params: { id: set.id } });
  const kept = before.items.map(({ id }) => ({ kind: 'kept', questionId: id }) as const);
  return (await call(testSets.update, { params: { id: set.id }, body: { questions: [...kept, question] } })).name;
}

/** Keeps a question of a trial, to see the effect of later changes on its answer. */
export function KeepQuestion({ assistantId, text }: { assistantId: number | null; text: string }) {
  const client = useQueryClient();
  const { reason } = useEditAccess();
  const keeping = useMutation({
    mutationFn: (id: number) => keep(id, text),
    onSuccess(name) {
      toast({ title: 'Question kept', description: `It is in the test set ‘${name}’.` });
      return refreshTestSets(client);
    },
    onError: showFailure('Failed to keep the question'),
  });
  return (
    <Button
      size="sm"
      variant="ghost"
      icon={ListPlus}
      busy={keeping.isPending}
      disabledReason={reason ?? (assistantId === null ? 'Save the assistant first.' : undefined)}
      onClick={() => assistantId !== null && keeping.mutate(assistantId)}
    >
      Keep as test question
    </Button>
  );
}
