import type { Message, ShownCall } from '@roster/contracts/chat';
import { ChevronRight, CodeXml, FileSearch, SquareFunction } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatTime } from '#web/lib/format.ts';
import type { Icon } from '#web/ui/icon.ts';
import { CodeBlock } from '#web/ui/markdown/code-block.tsx';

type Kind = ShownCall['kind'];
type Words = { icon: Icon; done: string; input: string; language: string; output: string };

const words: Record<Kind, Words> = {
  function: { icon: SquareFunction, done: 'Called', input: 'Arguments', language: 'json', output: 'Answer' },
  file_search: { icon: FileSearch, done: 'Searched files', input: 'Searched for', language: 'json', output: 'Found' },
  code_interpreter: { icon: CodeXml, done: 'Ran code', input: 'Code', language: 'python', output: 'Output' },
};

type ToolCallsProps = { message: Message; of: readonly Kind[] };

/** What the model called while it wrote an answer: a line each, with what went in and what came out folded away. */
export function ToolCalls({ message: { calls = [], waitsUntil }, of }: ToolCallsProps) {
  const isWaiting = useIsBefore(waitsUntil);
  const shown = calls.filter(({ kind }) => of.includes(kind));
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Tool calls" className="my-1">
      {shown.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the calls of an answer never change their order
        <li key={index}>
          <Called call={call} state={stateOf(call, isWaiting ? waitsUntil : undefined)} />
        </li>
      ))}
    </ul>
  );
}

/** The functions of a program answer later, or never. */
function stateOf({ kind, output }: ShownCall, waitsUntil: string | undefined): string | null {
  if (kind !== 'function' || output !== null) return null;
  return waitsUntil === undefined
    ? 'its program has not answered'
    : `its program can answer until ${formatTime(waitsUntil)}`;
}

function Called({ call, state }: { call: ShownCall; state: string | null }) {
  const { icon: IconPart, done, input, language, output } = words[call.kind];
  return (
    <details className="group/call">
      <summary className="-ms-1.5 inline-flex min-h-7 max-w-full list-none items-center gap-1.5 rounded-sm pe-2 ps-1 text-muted-foreground text-sm hover:text-foreground max-md:min-h-10 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 transition-transform duration-120 group-open/call:rotate-90 rtl:group-open/call:-rotate-90"
        />
        <IconPart aria-hidden className="size-4 shrink-0" />
        <span className="wrap-anywhere min-w-0">
          {done}
          {call.kind === 'function' && (
            <>
              {' '}
              <bdi className="font-mono">{call.name}</bdi>
            </>
          )}
          {state !== null && ` · ${state}`}
        </span>
      </summary>
      <div className="mt-1 mb-3 grid grid-cols-1 gap-2 border-border border-s-2 ps-4">
        <Part title={input} text={call.input} language={language} />
        {call.output !== null && <Part title={output} text={call.output} language="json" />}
      </div>
    </details>
  );
}

/** JSON is shown in lines. */
function readable(text: string): { text: string; isJson: boolean } {
  try {
    return { text: JSON.stringify(JSON.parse(text), undefined, 2), isJson: true };
  } catch {
    // Shown as it came: other words, or the beginning of a long text.
    return { text, isJson: false };
  }
}

function Part({ title, text: given, language }: { title: string; text: string; language: string }) {
  const { text, isJson } = language === 'json' ? readable(given) : { text: given, isJson: false };
  return (
    <section aria-label={title} className="min-w-0">
      <h4 className="mb-1 text-muted-foreground text-xs">{title}</h4>
      <CodeBlock text={text} language={language === 'json' && !isJson ? 'text' : language} />
    </section>
  );
}

/** Whether a moment is still to come; changes when it has. */
function useIsBefore(moment: string | undefined): boolean {
  const left = () => (moment === undefined ? 0 : Date.parse(moment) - Date.now());
  const [passed, setPassed] = useState<string>();
  useEffect(() => {
    if (moment === undefined) return;
    const timer = setTimeout(() => setPassed(moment), Math.max(0, Date.parse(moment) - Date.now()));
    return () => clearTimeout(timer);
  }, [moment]);
  return left() > 0 && passed !== moment;
}
