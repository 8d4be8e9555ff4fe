import type { WebLink } from '@roster/contracts/text/web-links';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { createLinkReader } from '#server/provider/web-links';

const textIn = (value: unknown) => (typeof value === 'string' ? value : '');

/**
 * Collects the pages that an answer lists as sources, in the order of their numbers; many servers repeat them with each
 * event.
 */
export function createSourceCollector(tell: (link: WebLink) => void) {
  const titles = new Map<string, string>();
  const link = createLinkReader(tell);

  function add(source: unknown) {
    if (!isObject(source)) {
      if (typeof source === 'string' && !titles.has(source)) titles.set(source, '');
      return;
    }
    // OpenRouter nests the page one level deeper.
    const page = isObject(source.url_citation) ? source.url_citation : source;
    const url = textIn(page.url) || textIn(page.link);
    if (url !== '') titles.set(url, titles.get(url) || textIn(page.title));
  }

  return {
    /** Takes an event, a choice or a whole message. */
    add({ citations, annotations, search_results: results }: JsonObject) {
      for (const sources of [citations, annotations, results])
        if (Array.isArray(sources)) for (const source of sources) add(source);
    },
    end() {
      for (const [url, title] of titles) link({ type: 'url_citation', url, title, start_index: 0, end_index: 0 });
    },
  };
}
