import { type Assistant, assistants } from '@roster/contracts/assistants';
import { useMutation } from '@tanstack/react-query';
import { call } from '#web/lib/api.ts';
import { tellFailure } from '#web/lib/failure.ts';
import { saveJson } from '#web/lib/save-file.ts';

/** 'Research Helper' becomes 'research-helper.json'. */
export function exportFileName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${plain || 'assistant'}.json`;
}

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
