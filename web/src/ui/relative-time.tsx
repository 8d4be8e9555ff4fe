import { useEffect, useState } from 'react';
import { formatDateTime, formatRelative } from '#web/lib/text/format.ts';

/** '5 minutes ago', kept up to date, with the exact time as tooltip. */
export function RelativeTime({ date, className }: { date: string; className?: string | undefined }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return (
    // Keeps the number before its unit on a right-to-left page.
    <time dir="auto" dateTime={date} title={formatDateTime(date)} className={className}>
      {formatRelative(date, now)}
    </time>
  );
}
