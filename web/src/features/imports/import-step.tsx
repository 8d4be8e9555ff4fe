import type { Import } from '@roster/contracts/imports';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { useCancel, useStart } from './queries.ts';
import { contentText, leftOutText, othersText, periodText, resultText, sourceNames } from './texts.ts';
import { UndoButton } from './undo-button.tsx';

/** The state of an import, and its actions. */
export function ImportStep({ item }: { item: Import }) {
  switch (item.state) {
    case 'reading':
      return <Reading item={item} />;
    case 'ready':
      return <Preview item={item} />;
    case 'importing':
      return <Importing item={item} />;
    case 'undoing':
      return (
        <Frame item={item}>
          <output className="text-muted-foreground">Undoing. You can leave this page.</output>
        </Frame>
      );
    default:
      return <Result item={item} />;
  }
}

function Frame({ item, children }: { item: Import; children: ReactNode }) {
  return (
    <section aria-label={item.filename} className="grid gap-3 rounded-md border border-border p-4">
      <h3 className="wrap-anywhere font-medium">
        <bdi>{item.filename}</bdi>
        {item.source && <span className="text-muted-foreground"> · {sourceNames[item.source]}</span>}
      </h3>
      {children}
    </section>
  );
}

function CancelButton({ item, label }: { item: Import; label: string }) {
  const cancel = useCancel();
  return (
    <Button
      busy={cancel.isPending}
      onClick={() => cancel.mutate(item.id, { onError: showFailure('Failed to cancel the import') })}
    >
      {label}
    </Button>
  );
}

function Reading({ item }: { item: Import }) {
  return (
    <Frame item={item}>
      <output className="text-muted-foreground tabular-nums">
        Reading the file
        {item.conversations > 0 ? `: ${contentText(item.conversations, item.messages)} so far` : ''}. You can leave this
        page.
      </output>
      <div className="flex flex-wrap gap-2">
        <CancelButton item={item} label="Cancel" />
      </div>
    </Frame>
  );
}

function LeftOutList({ item }: { item: Import }) {
  if (item.leftOut.length === 0) return null;
  return (
    <div className="text-muted-foreground text-sm">
      <p>What cannot be imported:</p>
      <ul className="mt-1 list-disc ps-5">
        {item.leftOut.map((left) => (
          <li key={left.reason}>{leftOutText(left)}</li>
        ))}
      </ul>
    </div>
  );
}

function Preview({ item }: { item: Import }) {
  const start = useStart();
  const { conversations, messages, files, known } = item;
  const others = othersText(item);
  return (
    <Frame item={item}>
      <p>
        The file contains {contentText(conversations, messages, files)}
        {periodText(item)}.
      </p>
      {others !== '' && (
        <p>
          {`It also contains ${others}. Existing items are not changed${item.queued > 0 ? '; queued messages wait for you' : ''}.`}
        </p>
      )}
      {item.source === 'roster' && item.prompts + item.assistants > 0 && (
        <p className="text-muted-foreground">
          Preferences are imported only if you have not changed yours. Usage and costs are not imported.
        </p>
      )}
      {known > 0 && (
        <p className="text-muted-foreground">
          {known === conversations ? 'All are' : `${formatNumber(known)} of them are`} already in Roster; only new
          messages are added to them.
        </p>
      )}
      {item.source === 'gemini' && (
        <p className="text-muted-foreground">
          Google does not export which questions belong together: each becomes a conversation of its own.
        </p>
      )}
      <LeftOutList item={item} />
      <div className="flex flex-wrap gap-2">
        {(conversations > 0 || others !== '') && (
          <Button
            variant="primary"
            busy={start.isPending}
            onClick={() => start.mutate(item.id, { onError: showFailure('Failed to start the import') })}
          >
            {conversations > 0 ? `Import ${formatCount(conversations, 'Conversation')}` : 'Import'}
          </Button>
        )}
        <CancelButton item={item} label="Discard" />
      </div>
    </Frame>
  );
}

function Importing({ item }: { item: Import }) {
  const { processed, conversations } = item;
  return (
    <Frame item={item}>
      <output className="text-muted-foreground tabular-nums">
        Importing: {formatNumber(Math.min(processed, conversations))} of {formatCount(conversations, 'conversation')}.
        You can leave this page.
      </output>
      <ProgressBar
        label={`Importing ${item.filename}`}
        percent={conversations === 0 ? null : Math.min(100, (processed / conversations) * 100)}
        className="h-1.5"
      />
      <div className="flex flex-wrap gap-2">
        <CancelButton item={item} label="Cancel" />
      </div>
    </Frame>
  );
}

const titles: Partial<Record<Import['state'], string>> = {
  done: 'Import finished',
  canceled: 'Import cancelled',
  failed: 'Import failed',
};

function Result({ item }: { item: Import }) {
  const hasThreads = item.importedMessages > 0 && item.state !== 'undone';
  const tone = item.state === 'failed' ? 'destructive' : item.state === 'done' ? 'success' : 'info';
  return (
    <Frame item={item}>
      <Notice tone={tone} live title={titles[item.state]}>
        {item.error} {(item.state !== 'failed' || item.importedMessages > 0) && resultText(item)}
      </Notice>
      {item.state === 'done' && <LeftOutList item={item} />}
      <div className="flex flex-wrap gap-2">
        {hasThreads && (
          <Link to="/chat" className={buttonClass({ variant: 'primary' })}>
            Show Conversations
          </Link>
        )}
        <UndoButton item={item} />
      </div>
    </Frame>
  );
}
