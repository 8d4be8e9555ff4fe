import { type Assistant, assistants } from '@roster/contracts/assistants/assistants';
import { useMutation } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { saveJson } from '#web/lib/download.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { slugFileName } from '#web/lib/text/file-name.ts';

export const exportFileName = (name: string): string => `${slugFileName(name, 'assistant')}.json`;

/** Exports one assistant, or all of them, as a file that Import accepts. */
export function useExport() {
  return useMutation({
    mutationFn: async (assistant: Assistant | undefined) => {
      if (!assistant) return saveJson('roster-assistants.json', await call(assistants.exportAll, {}));
      const content = await call(assistants.exportOne, { params: { id: assistant.id } });
      saveJson(exportFileName(assistant.name), content);
    },
    onError: showFailure('Failed to export assistants', 'An error occurred. Please try again.'),
  });
}
