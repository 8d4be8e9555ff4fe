import { formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';

type ShowMoreProps = { left: number; what: string; onMore: () => void };

/** Button that shows more; nothing if all is shown. */
export function ShowMore({ left, what, onMore }: ShowMoreProps) {
  if (left <= 0) return null;
  return (
    <Button size="sm" onClick={onMore} className="m-2 max-md:h-10">
      {`Show more (${formatNumber(left)} ${what} left)`}
    </Button>
  );
}
