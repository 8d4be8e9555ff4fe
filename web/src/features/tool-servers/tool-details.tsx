import type { Tool } from '@roster/contracts/tool-servers/tool-servers';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '#web/ui/badge.tsx';

type Argument = { name: string; type: string; isRequired: boolean; description: string };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** Readable type; a schema may contain more. */
function typeOf(schema: Record<string, unknown>): string {
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if (Array.isArray(schema.type)) return schema.type.filter((one) => typeof one === 'string').join(' or ');
  return textOf(schema.type) || 'any value';
}

/** Arguments declared by a schema. */
function argumentsOf({ properties, required }: Tool['inputSchema']): Argument[] {
  if (!isRecord(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: isRecord(schema) ? typeOf(schema) : 'any value',
    isRequired: needed.has(name),
    description: isRecord(schema) ? textOf(schema.description) : '',
  }));
}

export function ReadOnlyBadge({ tool }: { tool: Pick<Tool, 'isReadOnly'> }) {
  return tool.isReadOnly ? <Badge tone="success">Only reads</Badge> : <Badge tone="warning">Can change data</Badge>;
}

/** The server's description of a tool, as text. */
export function ToolDetails({ tool }: { tool: Tool }) {
  const [isOpen, setOpen] = useState(false);
  const given = argumentsOf(tool.inputSchema);
  return (
    <div className="grid gap-2 text-sm">
      <p dir="auto" className="wrap-anywhere max-h-60 overflow-y-auto whitespace-pre-line text-muted-foreground">
        {tool.description || 'Its server gives no description.'}
      </p>
      {given.length > 0 && (
        <dl aria-label={`Arguments of ${tool.title}`} className="grid gap-1.5">
          {given.map((argument) => (
            <div key={argument.name}>
              <dt className="flex flex-wrap items-baseline gap-x-2">
                <code dir="ltr" className="wrap-anywhere">
                  {argument.name}
                </code>
                <span className="wrap-anywhere text-muted-foreground">
                  {argument.type}
                  {argument.isRequired && ', required'}
                </span>
              </dt>
              {argument.description && (
                <dd dir="auto" className="wrap-anywhere text-muted-foreground">
                  {argument.description}
                </dd>
              )}
            </div>
          ))}
        </dl>
      )}
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} className="group/schema">
        <summary className="-ms-1 inline-flex min-h-8 list-none items-center gap-1.5 rounded-sm pe-2 text-muted-foreground max-md:min-h-10 [&::-webkit-details-marker]:hidden">
          <ChevronRight aria-hidden className="size-4 shrink-0 group-open/schema:rotate-90 rtl:-scale-x-100" />
          Argument schema
        </summary>
        {isOpen && (
          <pre
            dir="ltr"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard.
            tabIndex={0}
            className="mt-1 max-h-72 overflow-auto rounded-md border border-border bg-muted p-3 font-mono text-xs"
          >
            {JSON.stringify(tool.inputSchema, undefined, 2)}
          </pre>
        )}
      </details>
    </div>
  );
}
