import { assistants } from '@roster/contracts/assistants/assistants';
import { assistantDrafts, type KeptDraft } from '@roster/contracts/assistants/drafts';
import { usage } from '@roster/contracts/usage/usage';
import { page } from 'vitest/browser';
import { answer } from './answers.ts';
import { open } from './app.tsx';
import { assistant, serveAssistants } from './assistants.ts';

export const nameField = page.getByLabelText('Name');
export const tutor = assistant(1, { name: 'Tutor', version: 3, starters: ['What is a parrot?'] });

/** Opens the editor. `draft`: what the server has kept of it. */
export function openEditor(path = '/assistants/1', draft: KeptDraft | null = null, given = [tutor]) {
  open(path, {
    answers() {
      serveAssistants(...given);
      answer(usage.assistants, []);
      answer(assistants.files, []);
      answer(assistantDrafts.get, { draft });
      answer(assistantDrafts.keep, undefined);
      answer(assistantDrafts.remove, undefined);
    },
  });
}
