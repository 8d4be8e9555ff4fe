import { Button } from '#web/ui/button.tsx';

type SeveralNoticeProps = { models: readonly string[]; onClear: () => void };

/** Warns about the cost before a question is sent to several models. */
export function MultiModelNotice({ models, onClear }: SeveralNoticeProps) {
  if (models.length === 0) return null;
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-border bg-card px-3 py-2 text-sm">
      <output className="wrap-anywhere min-w-0 flex-1 basis-52 text-muted-foreground">
        Asks {models.length} models, each is charged:{' '}
        <bdi className="font-mono text-foreground text-xs">{models.join(', ')}</bdi>
      </output>
      <Button size="sm" variant="ghost" className="max-md:h-10" onClick={onClear}>
        Ask one
      </Button>
    </div>
  );
}
