import type { Import } from '@roster/contracts/imports';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { resultText, sourceNames } from './texts.ts';
import { UndoButton } from './undo-button.tsx';

const badges: Partial<Record<Import['state'], { tone: BadgeTone; label: string }>> = {
  failed: { tone: 'destructive', label: 'Failed' },
  canceled: { tone: 'neutral', label: 'Cancelled' },
  undone: { tone: 'neutral', label: 'Undone' },
  expired: { tone: 'neutral', label: 'Not started' },
};

/** An import that has ended. */
export function ImportRow({ item }: { item: Import }) {
  const badge = badges[item.state];
  return (
    <li className="flex items-start gap-4 py-4">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <bdi className="wrap-anywhere">{item.filename}</bdi>
          {badge && <Badge tone={badge.tone}>{badge.label}</Badge>}
        </p>
        <p className="mt-1 text-muted-foreground text-sm">
          {item.source && `${sourceNames[item.source]} · `}
          <RelativeTime date={item.createdAt} />
        </p>
        <p className="mt-1 text-muted-foreground text-sm">
          {item.error} {(item.state !== 'failed' || item.importedMessages > 0) && resultText(item)}
        </p>
      </div>
      <UndoButton item={item} />
    </li>
  );
}
