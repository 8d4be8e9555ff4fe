import { zodResolver } from '@hookform/resolvers/zod';
import {
  AssistantDraft,
  assistantDefaults,
  descriptionLimit,
  importedInstructionsLimit,
  instructionsLimit,
  nameLimit,
} from '@roster/contracts/assistants/assistants';
import { newParts } from '@roster/contracts/assistants/drafts';
import type { InstructionValues } from '@roster/contracts/assistants/variables';
import { codePointLength } from '@roster/contracts/text/length';
import { requiredText, textUpTo } from '@roster/contracts/text/text';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { z } from 'zod';
import { useInstructionValues } from '#web/components/instructions/instruction-variables.tsx';

/** A draft with the files and connected tools that only a new assistant has in its form. */
const FormDraft = AssistantDraft.extend({
  files: newParts.files.optional(),
  chosenTools: newParts.chosenTools.optional(),
});
export type FormDraft = z.output<typeof FormDraft>;
export type FormValues = z.input<typeof FormDraft>;

export type AssistantForm = UseFormReturn<z.input<typeof FormDraft>, unknown, FormDraft>;

/** Form of a new assistant. */
export function useNewAssistantForm(values: AssistantDraft): AssistantForm {
  return useForm<z.input<typeof FormDraft>, unknown, FormDraft>({
    resolver: zodResolver(FormDraft),
    defaultValues: values,
  });
}

/** Form of an existing one: imported instructions may exceed the usual limit, as long as they do not grow. */
export function useEditForm(values: AssistantDraft): AssistantForm {
  const limit = Math.max(instructionsLimit, codePointLength(values.instructions));
  const longestName = Math.max(nameLimit, codePointLength(values.name));
  const longestDescription = Math.max(descriptionLimit, codePointLength(values.description));
  const schema = FormDraft.extend({
    name: requiredText(longestName, `Name cannot exceed ${longestName} characters`, 'Name is required'),
    description: textUpTo(longestDescription, `Description cannot exceed ${longestDescription} characters`).default(''),
    instructions: textUpTo(limit, `Instructions cannot exceed ${limit} characters`).default(''),
    temperature: z.number().min(0).max(2).default(assistantDefaults.temperature),
  });
  return useForm<z.input<typeof FormDraft>, unknown, FormDraft>({
    resolver: zodResolver(schema),
    defaultValues: values,
  });
}

/**
 * Form of the editor's page. `isLong` raises the limit of the instructions; names and descriptions that were imported
 * with more than the usual limit may stay.
 */
export function useEditorForm(values: AssistantDraft, isLong: boolean): AssistantForm {
  const longestName = Math.max(nameLimit, codePointLength(values.name));
  const longestDescription = Math.max(descriptionLimit, codePointLength(values.description));
  const limit = isLong ? importedInstructionsLimit : instructionsLimit;
  const schema = FormDraft.extend({
    name: requiredText(longestName, `Name cannot exceed ${longestName} characters`, 'Name is required'),
    description: textUpTo(longestDescription, `Description cannot exceed ${longestDescription} characters`).default(''),
    instructions: textUpTo(limit, `Instructions cannot exceed ${limit} characters`).default(''),
    temperature: z.number().min(0).max(2).default(assistantDefaults.temperature),
  });
  return useForm<z.input<typeof FormDraft>, unknown, FormDraft>({
    resolver: zodResolver(schema),
    defaultValues: values,
  });
}

/** The values that variables in the instructions would have now. */
export function useFormValues(form: AssistantForm): InstructionValues {
  const [name, model] = form.watch(['name', 'model']);
  return useInstructionValues(name?.trim() || null, model ?? null);
}
