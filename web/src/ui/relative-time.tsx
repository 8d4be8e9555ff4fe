import { useEffect, useState } from 'react';
import { formatDateTime, formatRelative } from '#web/lib/format.ts';

/** '5 minutes ago', kept up to date, with the exact time on hover. */
export function RelativeTime({ date, className }: { date: string; className?: string | undefined }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return (
    // The number stays before its word on a page from right to left.
    <time dir="auto" dateTime={date} title={formatDateTime(date)} className={className}>
      {formatRelative(date, now)}
    </time>
  );
}
