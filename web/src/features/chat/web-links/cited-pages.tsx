import { numberedLinks } from '@roster/contracts/text/numbered-links';
import type { PlacedLink, WebLink } from '@roster/contracts/text/web-links';
import { type ReactNode, useMemo, useRef } from 'react';
import { SourcesContext } from '#web/ui/markdown/source-marks.ts';

const nameOf = ({ url, title }: WebLink) => (title === '' ? url : title);

type LinkedPagesProps = { links: readonly PlacedLink[]; children: ReactNode };

/** An answer whose citation marks link to the list of web pages below it. */
export function CitedPages({ links, children }: LinkedPagesProps) {
  const list = useRef<HTMLOListElement>(null);
  const { pages } = useMemo(() => numberedLinks(links), [links]);
  const sources = useMemo(
    () => ({
      names: pages.map(nameOf),
      onShow(number: number) {
        list.current?.querySelectorAll<HTMLElement>(':scope > li')[number - 1]?.focus();
      },
    }),
    [pages],
  );
  return (
    <SourcesContext value={sources}>
      {children}
      {pages.length > 0 && (
        <section aria-label="Web sources" className="mt-3 text-sm">
          <h4 className="mb-1 text-muted-foreground text-xs">Web sources</h4>
          <ol ref={list} className="list-decimal space-y-0.5 ps-7 marker:text-muted-foreground">
            {pages.map((page) => (
              <Page key={page.url} page={page} />
            ))}
          </ol>
        </section>
      )}
    </SourcesContext>
  );
}

/** Only web addresses become links, whatever is stored. */
const isWebUrl = (url: string) => /^https?:\/\//i.test(url);

function Page({ page }: { page: WebLink }) {
  const { url, title } = page;
  return (
    // Target of a citation mark.
    <li tabIndex={-1} className="wrap-anywhere rounded-sm ps-0.5 focus:bg-active">
      {isWebUrl(url) ? (
        <a
          href={url}
          target="_blank"
          rel="noreferrer noopener"
          className="underline underline-offset-2 max-md:inline-block max-md:py-1.5"
        >
          <bdi>{nameOf(page)}</bdi>
        </a>
      ) : (
        <bdi>{nameOf(page)}</bdi>
      )}
      {title !== '' && <bdi className="block text-muted-foreground text-xs">{url}</bdi>}
    </li>
  );
}
