import { promptLimit } from '@roster/contracts/comparisons/comparisons';
import { isBlank } from '@roster/contracts/text/blank';
import { Plus, X } from 'lucide-react';
import { type Ref, useId, useRef } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';

export type TypedPrompt = { key: number; text: string };

type TypedPromptsProps = {
  /** The first box. */
  ref?: Ref<HTMLTextAreaElement>;
  prompts: readonly TypedPrompt[];
  onChange: (prompts: TypedPrompt[]) => void;
  error: string | undefined;
};

/** A text box per prompt. */
export function TypedPrompts({ ref, prompts, onChange, error }: TypedPromptsProps) {
  const errorId = useId();
  const box = useRef<HTMLFieldSetElement>(null);
  const add = () => {
    onChange([...prompts, { key: Math.max(...prompts.map(({ key }) => key)) + 1, text: '' }]);
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('li:last-child textarea')?.focus());
  };
  return (
    <fieldset ref={box} className="min-w-0">
      <legend className="mb-1.5 font-medium">Prompts</legend>
      <ol className="space-y-2">
        {prompts.map(({ key, text }, index) => (
          <li key={key} className="flex items-start gap-2">
            <Textarea
              ref={index === 0 ? ref : undefined}
              rows={2}
              name="prompt"
              aria-label={`Prompt ${index + 1}`}
              aria-invalid={(error !== undefined && isBlank(text)) || undefined}
              aria-describedby={error ? errorId : undefined}
              value={text}
              onChange={(event) =>
                onChange(prompts.map((prompt) => (prompt.key === key ? { key, text: event.target.value } : prompt)))
              }
            />
            {prompts.length > 1 && (
              <IconButton
                label={`Remove prompt ${index + 1}`}
                icon={X}
                onClick={() => onChange(prompts.filter((prompt) => prompt.key !== key))}
              />
            )}
          </li>
        ))}
      </ol>
      {error && (
        <p id={errorId} role="alert" className="mt-1.5 text-destructive-text text-sm">
          {error}
        </p>
      )}
      <Button
        size="sm"
        icon={Plus}
        className="mt-2 max-md:h-10"
        disabledReason={prompts.length >= promptLimit ? `At most ${promptLimit} prompts` : undefined}
        onClick={add}
      >
        Add prompt
      </Button>
    </fieldset>
  );
}
