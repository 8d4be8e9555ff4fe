import { type PromptVariable, parsePrompt, promptVariables } from '@roster/contracts/prompts/variables';
import { useDeferredValue, useMemo } from 'react';

function describe(variable: PromptVariable): string {
  if (variable.kind === 'date') return 'date, today by default';
  if (variable.kind === 'choice') return `choice: ${variable.options.join(', ')}`;
  if (variable.default === null) return 'text, no default';
  return variable.default === '' ? 'text, may be left out' : `text, “${variable.default}” by default`;
}

/** The text of a prompt with its variables marked, and what each of them is. */
export function PromptPreview({ text }: { text: string }) {
  const shown = useDeferredValue(text);
  const pieces = useMemo(
    () => parsePrompt(shown).map((piece, index) => ({ ...piece, key: `${index} ${piece.source.length}` })),
    [shown],
  );
  const variables = useMemo(() => promptVariables(shown), [shown]);
  return (
    <section aria-label="Preview" className="rounded-md border border-border bg-muted">
      <p
        dir="auto"
        className="wrap-anywhere max-h-40 min-h-10 overflow-y-auto whitespace-pre-wrap px-3 py-2 text-sm leading-5"
      >
        {shown === '' && <span className="text-muted-foreground">The preview is shown here.</span>}
        {pieces.map(({ key, source, variable }) =>
          variable ? (
            <bdi key={key} className="rounded-xs bg-primary/14 px-1 text-primary-text" title={describe(variable)}>
              {variable.name}
            </bdi>
          ) : (
            source
          ),
        )}
      </p>
      {variables.length > 0 && (
        <ul aria-label="Variables" className="grid gap-1 border-border border-t px-3 py-2 text-sm">
          {variables.map((variable) => (
            <li key={variable.name} className="wrap-anywhere">
              <bdi className="font-medium">{variable.name}</bdi>{' '}
              <span className="text-muted-foreground">
                <bdi>{describe(variable)}</bdi>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
