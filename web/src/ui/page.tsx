import { type ReactNode, useContext } from 'react';
import { classNames } from './class-names.ts';
import { TopBarTitle } from './top-bar.tsx';

// Narrower pages begin at the same edge, so that titles do not jump from page to page.
const widths = { full: '', settings: 'max-w-[952px]', reading: 'max-w-[720px]' };

type PageProps = {
  title: string;
  /** One muted line about the purpose of the page. */
  lead?: ReactNode;
  /** The primary action. */
  action?: ReactNode;
  /** `settings`: for cards with forms; `reading`: narrower, for text. */
  width?: keyof typeof widths | undefined;
  children?: ReactNode;
};

/** Layout of every page. The heading is hidden where the top bar of a small screen already shows it. */
export function Page({ title, lead, action, width = 'full', children }: PageProps) {
  const isInBar = useContext(TopBarTitle) === title;
  return (
    <div className="mx-auto w-full max-w-[1248px] px-4 pt-3 pb-12 md:px-6 md:pt-8">
      <title>{`${title} · Roster`}</title>
      <div className={widths[width]}>
        <header className="mb-6 flex flex-wrap items-center gap-x-6 gap-y-3">
          <div className="min-w-0 flex-1 max-sm:min-w-56">
            <h1
              className={classNames(
                'wrap-anywhere flex min-h-10 items-center font-semibold text-xl tracking-[-0.012em] md:min-h-0',
                isInBar && 'max-md:sr-only',
              )}
            >
              <span dir="auto">{title}</span>
            </h1>
            {lead && <p className="mt-1 max-w-[72ch] text-muted-foreground">{lead}</p>}
          </div>
          {action && <div className="flex shrink-0 gap-2">{action}</div>}
        </header>
        {children}
      </div>
    </div>
  );
}
