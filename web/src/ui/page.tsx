import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

type PageProps = {
  title: string;
  /** One quiet line: what this page is for. */
  lead?: ReactNode;
  /** The one main action. */
  action?: ReactNode;
  /** `reading`: narrower, for forms and text. */
  width?: 'full' | 'reading' | undefined;
  children?: ReactNode;
};

/** The skeleton of every page. On small screens the title stands beside the floating sidebar button. */
export function Page({ title, lead, action, width = 'full', children }: PageProps) {
  return (
    <div
      className={classNames(
        'mx-auto w-full px-4 pt-3 pb-12 md:px-6 md:pt-8',
        width === 'full' ? 'max-w-[1248px]' : 'max-w-3xl',
      )}
    >
      <title>{`${title} · Roster`}</title>
      <header className="mb-6 flex flex-wrap items-center gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 max-sm:min-w-56">
          <h1 className="wrap-anywhere flex min-h-10 items-center font-semibold text-xl tracking-[-0.012em] max-md:ps-13 md:min-h-0">
            <span dir="auto">{title}</span>
          </h1>
          {lead && <p className="mt-1 max-w-[72ch] text-muted-foreground">{lead}</p>}
        </div>
        {action && <div className="flex shrink-0 gap-2">{action}</div>}
      </header>
      {children}
    </div>
  );
}
