import { type Assistant, assistants } from '@roster/contracts/assistants/assistants';
import { useMutation } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { tellFailure } from '#web/lib/failure.ts';
import { plainFileName } from '#web/lib/file-name.ts';
import { saveJson } from '#web/lib/save-file.ts';

export const exportFileName = (name: string): string => `${plainFileName(name, 'assistant')}.json`;

/** Saves one assistant, or all of them, as a file that Import reads back. */
export function useExport() {
  return useMutation({
    mutationFn: async (assistant: Assistant | undefined) => {
      if (!assistant) return saveJson('roster-assistants.json', await call(assistants.exportAll, {}));
      const content = await call(assistants.exportOne, { params: { id: assistant.id } });
      saveJson(exportFileName(assistant.name), content);
    },
    onError: tellFailure('Failed to export assistants', 'An error occurred. Please try again.'),
  });
}
