import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';

type SectionProps = {
  title: string;
  /** A few words on the values set. */
  summary?: string | undefined;
  /** A field in it has an error, which must be seen. */
  hasError?: boolean;
  children: ReactNode;
};

/** A part of the form that folds. It stays mounted once opened, so that nothing typed is lost. */
export function Section({ title, summary, hasError = false, children }: SectionProps) {
  const [isOpen, setOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  return (
    <details
      open={isOpen || hasError}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open);
        if (open) setWasOpen(true);
      }}
      className="group/section rounded-lg border border-border bg-card"
    >
      <summary className="flex min-h-11 list-none items-center gap-2 rounded-lg px-4 py-2 hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground transition-transform duration-120 group-open/section:rotate-90 rtl:not-group-open/section:-scale-x-100"
        />
        <h2 className="font-semibold">{title}</h2>
        {summary && <span className="ms-auto min-w-0 truncate text-muted-foreground text-sm">{summary}</span>}
      </summary>
      {(wasOpen || hasError) && <div className="px-4 pt-1 pb-5">{children}</div>}
    </details>
  );
}
