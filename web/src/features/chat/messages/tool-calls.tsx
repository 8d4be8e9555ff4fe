import type { DisplayedToolCall } from '@roster/contracts/chat';
import { truncate } from '@roster/contracts/text/truncate';
import { ChevronRight, CodeXml, FileSearch, Globe, ImagePlus, SquareFunction, Wrench } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { awaitsApproval } from '#web/api/runs/run-store.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { formatTime } from '#web/lib/text/format.ts';
import { indentJson } from '#web/lib/text/json-text.ts';
import type { Icon } from '#web/ui/icon.ts';
import { CodeBlock } from '#web/ui/markdown/code/code-block.tsx';
import type { ApprovalCardProps } from './approval-card.tsx';

/** Subject lines must be short; the full text is in the expanded part. */
const longest = 100;
const shortened = (text: string) => (text.length > longest ? `${truncate(text, longest)}…` : text);

/** Query of a search call, and the number of further ones; null if unknown or not a search. */
function callSubject({
  kind,
  input,
}: Pick<DisplayedToolCall, 'kind' | 'input'>): { said: string; more: number } | null {
  if (kind !== 'web_search' && kind !== 'file_search') return null;
  const [first, ...others] = queriesIn(input);
  if (first === undefined) return null;
  // A page that the search opened.
  const isPage = kind === 'web_search' && /^https?:\/\/\S+$/i.test(first);
  return { said: `${isPage ? 'the page ' : ''}${shortened(first)}`, more: others.length };
}

function queriesIn(input: string): string[] {
  try {
    const list: unknown = JSON.parse(input);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string' && one.trim() !== '') : [];
  } catch {
    // Still empty, or truncated JSON.
    return [];
  }
}

type Kind = DisplayedToolCall['kind'];
type Words = { icon: Icon; running: string; done: string; input: string; language: string; output: string };

const words: Record<Kind, Words> = {
  function: {
    icon: SquareFunction,
    running: 'Calling',
    done: 'Called',
    input: 'Arguments',
    language: 'json',
    output: 'Answer',
  },
  server: { icon: Wrench, running: 'Calling', done: 'Called', input: 'Arguments', language: 'json', output: 'Answer' },
  file_search: {
    icon: FileSearch,
    running: 'Searching files',
    done: 'Searched files',
    input: 'Searched for',
    language: 'json',
    output: 'Found',
  },
  code_interpreter: {
    icon: CodeXml,
    running: 'Running code',
    done: 'Ran code',
    input: 'Code',
    language: 'python',
    output: 'Output',
  },
  web_search: {
    icon: Globe,
    running: 'Searching the web',
    done: 'Searched the web',
    input: 'Searched for',
    language: 'json',
    output: 'Found',
  },
  image_generation: {
    icon: ImagePlus,
    running: 'Generating an image',
    done: 'Generated an image',
    input: 'Description',
    language: 'text',
    output: 'Result',
  },
};

type CallPlace = { threadId: number; runId: number };
type ToolCallsProps = {
  calls: readonly DisplayedToolCall[];
  waitsUntil: string | undefined;
  /** Set while the answer is being written: where to decide on its calls. */
  place: CallPlace | undefined;
};

const CardRoom = () => <div className="my-2 h-40 rounded-lg border border-border-strong bg-card" />;
const NoCard = () => (
  <p className="my-2 text-destructive text-sm">
    A call waits for your approval, but its question could not be loaded. Reload the page.
  </p>
);
const ApprovalCard = lazyPart<ApprovalCardProps>(async () => (await import('./approval-card.tsx')).ApprovalCard, {
  pending: CardRoom,
  failed: NoCard,
});

/** Tool calls of an answer: one line each, with input and output collapsed. */
export function ToolCalls({ calls, waitsUntil, place }: ToolCallsProps) {
  const isWaiting = useIsBefore(waitsUntil);
  return (
    <ul aria-label="Tool calls" className="my-1">
      {calls.map((call) => (
        <CallItem key={call.callId} call={call} place={place}>
          <Called call={call} state={stateOf(call, isWaiting ? waitsUntil : undefined)} />
        </CallItem>
      ))}
    </ul>
  );
}

type CallItemProps = { call: DisplayedToolCall; place: CallPlace | undefined; children: ReactNode };

/** A call that waits for approval is a question; once decided it becomes a line, which keeps keyboard focus. */
function CallItem({ call, place, children }: CallItemProps) {
  const item = useRef<HTMLLIElement>(null);
  return (
    <li ref={item} tabIndex={-1} className="rounded-sm outline-none">
      {place && awaitsApproval(call) ? (
        <ApprovalCard {...place} call={call} onDecided={() => item.current?.focus()} />
      ) : (
        children
      )}
    </li>
  );
}

/** Client functions are answered later, or never. */
function stateOf({ kind, state }: DisplayedToolCall, waitsUntil: string | undefined): string | null {
  if (kind === 'server') return serverStates[state] ?? null;
  if (state === 'failed') return 'not finished';
  if (kind !== 'function' || state !== 'waiting') return null;
  return waitsUntil === undefined
    ? 'no response from the program'
    : `the program can answer until ${formatTime(waitsUntil)}`;
}

const serverStates: Partial<Record<DisplayedToolCall['state'], string>> = {
  waiting: 'waits for approval',
  failed: 'failed',
  denied: 'denied',
  uncertain: 'may have run',
};

/** Verb before the name of a call. */
function verbOf({ kind, state }: DisplayedToolCall): string {
  const { running, done } = words[kind];
  if (kind === 'server' && (state === 'denied' || state === 'waiting')) return 'Call to';
  return state === 'running' ? running : done;
}

function Called({ call, state }: { call: DisplayedToolCall; state: string | null }) {
  const { icon: IconPart, input, language, output } = words[call.kind];
  return (
    <details className="group/call">
      <summary className="-ms-1.5 inline-flex min-h-7 max-w-full list-none items-center gap-1.5 rounded-sm pe-2 ps-1 text-muted-foreground text-sm hover:text-foreground max-md:min-h-10 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 transition-transform duration-120 group-open/call:rotate-90 rtl:group-open/call:-rotate-90"
        />
        <IconPart aria-hidden className="size-4 shrink-0" />
        <span className="wrap-anywhere min-w-0">
          {verbOf(call)}
          <Subject call={call} />
          {(call.kind === 'function' || call.kind === 'server') && (
            <>
              {' '}
              {call.title === '' ? <bdi className="font-mono">{call.tool ?? call.name}</bdi> : <bdi>{call.title}</bdi>}
            </>
          )}
          {call.server !== null && (
            <>
              {' '}
              of <bdi>{call.server}</bdi>
            </>
          )}
          {state !== null && ` · ${state}`}
        </span>
      </summary>
      <div className="mt-1 mb-3 grid grid-cols-1 gap-2 border-border border-s-2 ps-4">
        {call.input !== '' && <Part title={input} text={call.input} language={language} />}
        {call.output !== null &&
          (call.kind === 'web_search' ? (
            <WebSources title={output} json={call.output} />
          ) : (
            <Part title={output} text={call.output} language="json" />
          ))}
      </div>
    </details>
  );
}

/** The search query. */
function Subject({ call }: { call: DisplayedToolCall }) {
  const subject = callSubject(call);
  if (subject === null) return null;
  const { said, more } = subject;
  return (
    <>
      : <bdi>{said}</bdi>
      {more > 0 && ` and ${more} more`}
    </>
  );
}

/** Indents JSON and keeps its numbers as written. */
function readable(text: string): { text: string; isJson: boolean } {
  try {
    return { text: indentJson(text), isJson: true };
  } catch {
    // Not JSON, or truncated; shown as it is.
    return { text, isJson: false };
  }
}

type WebSource = { url: string; title: string };

/** Only web addresses become links, whatever is stored. */
function sourcesIn(json: string): WebSource[] {
  try {
    const list: unknown = JSON.parse(json);
    if (!Array.isArray(list)) return [];
    return [...new Map(list.filter(isWebSource).map((source) => [source.url, source])).values()];
  } catch {
    return [];
  }
}
const isWebSource = (value: unknown): value is WebSource =>
  typeof value === 'object' &&
  value !== null &&
  'url' in value &&
  'title' in value &&
  typeof value.title === 'string' &&
  typeof value.url === 'string' &&
  /^https?:\/\//i.test(value.url);

function WebSources({ title, json }: { title: string; json: string }) {
  const sources = sourcesIn(json);
  if (sources.length === 0) return null;
  return (
    <section aria-label={title} className="min-w-0">
      <h4 className="mb-1 text-muted-foreground text-xs">{title}</h4>
      <ul data-searched className="grid gap-1 text-sm">
        {sources.map(({ url, title: name }) => (
          <li key={url} className="wrap-anywhere min-w-0">
            <a
              href={url}
              target="_blank"
              rel="noreferrer noopener"
              className="underline underline-offset-2 max-md:inline-block max-md:py-1.5"
            >
              <bdi>{name === '' ? url : name}</bdi>
            </a>
            {name !== '' && <bdi className="block text-muted-foreground text-xs">{url}</bdi>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Part({ title, text: given, language }: { title: string; text: string; language: string }) {
  const { text, isJson } = language === 'json' ? readable(given) : { text: given, isJson: false };
  return (
    <section aria-label={title} className="min-w-0">
      <h4 className="mb-1 text-muted-foreground text-xs">{title}</h4>
      <div data-searched>
        <CodeBlock text={text} language={language === 'json' && !isJson ? 'text' : language} />
      </div>
    </section>
  );
}

/** True until a moment has passed; rerenders when it does. */
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
