import type { DatasetExample, DatasetTurn } from '@roster/contracts/fine-tuning/datasets';
import { Link } from '@tanstack/react-router';
import { ChevronRight, Paperclip } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { formatCount } from '#web/lib/text/format.ts';
import { classNames } from '#web/ui/class-names.ts';

/** An example as the model reads it: plain text, not Markdown. */
export function ExampleView({ example }: { example: DatasetExample }) {
  const { instructions, turns, answer, rejected, source } = example;
  const question = turns.at(-1);
  return (
    <div className="space-y-5">
      {instructions !== '' && <Folded title="Instructions" text={instructions} />}
      <Before turns={turns.slice(0, -1)} />
      <Part title="Question">
        <Words text={question?.text ?? ''} />
        <FileNames files={question?.files ?? []} />
      </Part>
      <Part title={rejected === null ? 'Answer' : 'Better answer'} className="border-success">
        <Words text={answer} />
      </Part>
      {rejected !== null && (
        <Part title="Worse answer" className="border-destructive">
          <Words text={rejected} />
        </Part>
      )}
      <p className="text-muted-foreground text-sm">
        {source ? (
          <>
            {'From '}
            <Link
              to="/chat/$threadId"
              params={{ threadId: String(source.threadId) }}
              className="wrap-anywhere rounded-xs text-foreground underline underline-offset-2"
            >
              {source.title}
            </Link>
          </>
        ) : (
          'The conversation it came from was deleted.'
        )}
      </p>
    </div>
  );
}

function Part({ title, className, children }: { title: string; className?: string; children: ReactNode }) {
  return (
    <section aria-label={title} className={classNames('border-s-2 ps-3.5', className ?? 'border-border-strong')}>
      <h3 className="mb-1 font-medium text-muted-foreground text-sm">{title}</h3>
      {children}
    </section>
  );
}

const Words = ({ text }: { text: string }) => <p className="wrap-anywhere whitespace-pre-wrap leading-6">{text}</p>;

function FileNames({ files }: { files: readonly string[] }) {
  if (files.length === 0) return null;
  return (
    <p className="mt-1 flex gap-1.5 text-muted-foreground text-sm">
      <span className="flex h-5 items-center">
        <Paperclip aria-hidden className="size-3.5" />
      </span>
      <span className="wrap-anywhere min-w-0">
        <bdi>{files.join(', ')}</bdi>: attached in the chat, not part of the example.
      </span>
    </p>
  );
}

function Folded({ title, text }: { title: string; text: string }) {
  return (
    <details className="group">
      <summary className="flex min-h-7 list-none items-center gap-1.5 rounded-xs font-medium text-muted-foreground text-sm max-md:min-h-10 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 transition-transform duration-120 group-open:rotate-90 rtl:group-open:-rotate-90"
        />
        {title}
      </summary>
      <div className="mt-1 border-border-strong border-s-2 ps-3.5">
        <Words text={text} />
      </div>
    </details>
  );
}

/**
 * Earlier messages, on request: only the answer is reviewed. The model reads them as context but is not trained on
 * them.
 */
function Before({ turns }: { turns: readonly DatasetTurn[] }) {
  const [all, setAll] = useState(false);
  if (turns.length === 0) return null;
  return (
    <section aria-label="Before the question" className="space-y-3">
      {!all && (
        <button
          type="button"
          onClick={() => setAll(true)}
          className="min-h-7 rounded-xs text-muted-foreground text-sm underline underline-offset-2 hover:text-foreground max-md:min-h-10"
        >
          {`Show ${formatCount(turns.length, 'earlier message')}`}
        </button>
      )}
      {(all ? turns : []).map(({ role, text, files }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns have nothing else, and their order never changes
        <div key={index} className="border-border border-s-2 ps-3.5 text-muted-foreground">
          <p className="mb-0.5 text-sm">{role === 'user' ? 'User' : 'Assistant'}</p>
          <Words text={text} />
          <FileNames files={files} />
        </div>
      ))}
    </section>
  );
}
