import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { lazyPart } from '#web/lib/lazy.ts';
import type { AssistantForm } from './use-assistant-form.ts';

/** Loaded on demand: few assistants have a response schema. */
const SchemaEditor = lazyPart(async () => (await import('./schema-editor.tsx')).SchemaEditor, {
  pending: () => <div className="h-72" />,
});

/** The response schema, collapsed until needed. */
export function AnswerFormat({ form }: { form: AssistantForm }) {
  const [isOpened, setIsOpened] = useState(false);
  const error = form.formState.errors.responseSchema?.message;
  const isOpen = isOpened || error !== undefined;
  const schema = form.watch('responseSchema') ?? null;
  return (
    <details open={isOpen} onToggle={(event) => setIsOpened(event.currentTarget.open)} className="group/format">
      <summary className="-ms-1 inline-flex min-h-9 list-none items-center gap-1.5 rounded-sm pe-2 max-md:min-h-10 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground group-open/format:rotate-90 rtl:-scale-x-100"
        />
        <span className="font-medium">Answer format</span>{' '}
        <span className="text-muted-foreground">{schema === null ? 'Text' : 'JSON matching a schema'}</span>
      </summary>
      {isOpen && (
        <div className="mt-2">
          <SchemaEditor
            value={schema}
            error={error}
            onChange={(responseSchema) =>
              form.setValue('responseSchema', responseSchema, {
                shouldDirty: true,
                shouldValidate: error !== undefined || form.formState.isSubmitted,
              })
            }
          />
        </div>
      )}
    </details>
  );
}
