import { tidyName } from '@roster/contracts/text/name';
import { truncate } from '@roster/contracts/text/truncate';
import { type WebLink, webLinksLimit } from '@roster/contracts/text/web-links';
import { z } from 'zod';

/** Links are shown to people: only web URLs. */
export const isWebAddress = (url: string) => /^https?:\/\//i.test(url) && URL.canParse(url);

export const addressLimit = 1_000;
export const titleLimit = 300;

const place = z.number().int().catch(0);
const Citation = z.object({
  type: z.literal('url_citation'),
  url: z.string(),
  title: z.string().catch(''),
  start_index: place,
  end_index: place,
});

/** Reports each place where an answer cites a web page, once; some providers repeat them at the end. */
export function createLinkReader(tell: (link: WebLink) => void) {
  const reported = new Set<string>();
  return (annotation: unknown) => {
    const citation = Citation.safeParse(annotation);
    if (!citation.success || reported.size >= webLinksLimit) return;
    const { url: given, title, start_index, end_index } = citation.data;
    if (given.length > addressLimit || !isWebAddress(given)) return;
    // Normalized as in browsers: in a list, a lookalike URL must show as the one that opens.
    const url = new URL(given).href;
    const key = `${start_index} ${end_index} ${url}`;
    if (url.length > addressLimit || reported.has(key)) return;
    reported.add(key);
    tell({ url, title: truncate(tidyName(title), titleLimit) });
  };
}
