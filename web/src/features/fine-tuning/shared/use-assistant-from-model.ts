import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCreateAssistant } from '#web/api/assistant-changes.ts';
import { useUpdateCustomModel } from '#web/api/fine-tuning.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { toast } from '#web/ui/states/toast.tsx';

/** A tuned model; `id` is null if it is not in the list. */
type Tuned = { id: number | null; name: string; model: string; baseModel: string; isActive: boolean };

/** Creates an assistant on a tuned model, and offers the model for selection from then on. */
export function useAssistantFromModel() {
  const create = useCreateAssistant();
  const update = useUpdateCustomModel();
  const navigate = useNavigate();
  const mutation = useMutation({
    mutationFn: async ({ id, name, model, baseModel, isActive }: Tuned) => {
      if (id !== null && !isActive) await update.mutateAsync({ id, isActive: true });
      return create.mutateAsync({ name, description: `Runs on a model tuned from ${baseModel}.`, model });
    },
  });
  const make = (tuned: Tuned) =>
    mutation.mutate(tuned, {
      onSuccess: ({ id, name }) =>
        toast({
          title: 'Assistant created',
          description: `${name} answers with the fine-tuned model. Give it the instructions of your examples in Settings.`,
          duration: 12_000,
          action: {
            label: 'Chat with it',
            onSelect: () => void navigate({ to: '/chat', search: { assistant: id } }),
          },
        }),
      onError: showFailure('Failed to create assistant', 'An error occurred while creating your assistant'),
    });
  return { make, isPending: mutation.isPending };
}
