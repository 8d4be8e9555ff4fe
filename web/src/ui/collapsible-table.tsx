import { type ReactNode, useState } from 'react';
import { classNames } from './class-names.ts';

type FoldedTableProps = {
  /** Label of the toggle. */
  summary: string;
  /** Accessible name of the scroll area. */
  label: string;
  /** Rendered only while open: there may be thousands of rows. */
  children: () => ReactNode;
  className?: string | undefined;
};

/** A collapsible table with the values behind a chart or total. */
export function CollapsibleTable({ summary, label, children, className }: FoldedTableProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="mt-3" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="w-fit rounded-sm py-1.5 text-muted-foreground text-sm hover:text-foreground">
        {summary}
      </summary>
      {isOpen && (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: else its end cannot be reached without a pointer.
          tabIndex={0}
          aria-label={label}
          className={classNames('relative mt-2 max-h-80 overflow-auto rounded-md border border-border', className)}
        >
          {children()}
        </section>
      )}
    </details>
  );
}
