import { memo, useDeferredValue, useEffect, useId, useState } from 'react';
import { BlockPart } from './blocks.tsx';
import { copySelection } from './copied-selection.ts';
import { isWhole, type MarkdownDocument, parseMarkdown } from './document.ts';
import { FootnotesContext } from './footnote.tsx';
import { startSlice } from './time-slice.ts';
import type { Section } from './tree.ts';

/** Drawn again only when its own source changes, or where its links lead; while an answer arrives, that is the last block. */
const SectionPart = memo(
  function SectionPart({ section }: { section: Section }) {
    return <BlockPart block={section.block} nested={false} />;
  },
  ({ section: before }, { section: after }) => before.raw === after.raw && before.links === after.links,
);

/** The texts read last, so that scrolling back over a long thread does not read them again. */
const recentDocuments = new Map<string, MarkdownDocument>();

function remember(document: MarkdownDocument) {
  recentDocuments.delete(document.source);
  recentDocuments.set(document.source, document);
  const oldest = recentDocuments.size > 100 ? recentDocuments.keys().next().value : undefined;
  if (oldest !== undefined) recentDocuments.delete(oldest);
}

/** A text as far as it is read; `next` is the same text once more, while it is read beside what is shown. */
type Reading = { text: string; live: boolean; shown: MarkdownDocument; next: MarkdownDocument | null };

function continueReading(text: string, live: boolean, before: Reading | undefined): Reading {
  const begun = before ? (before.next ?? before.shown) : recentDocuments.get(text);
  const document = parseMarkdown(text, begun, startSlice());
  if (isWhole(document)) {
    if (!live) remember(document);
    return { text, live, shown: document, next: null };
  }
  const shows = before && before.shown.sections.length > document.sections.length;
  return shows ? { text, live, shown: before.shown, next: document } : { text, live, shown: document, next: null };
}

function useDocument(text: string, live: boolean): MarkdownDocument {
  const [state, setState] = useState<Reading>(() => continueReading(text, live, undefined));
  const isUpToDate = state.text === text && state.live === live;
  const reading = isUpToDate ? state : continueReading(text, live, state);
  if (!isUpToDate) setState(reading);
  const goesOn = reading.next !== null || !isWhole(reading.shown);
  useEffect(() => {
    if (!goesOn) return;
    const timer = setTimeout(() => setState((before) => continueReading(before.text, before.live, before)));
    return () => clearTimeout(timer);
  });
  return reading.shown;
}

/** How many elements are put on the page at once. */
const slice = 1_500;

/** As many sections as the page can draw without a pause, more after each paint. */
function useRenderedSections(sections: readonly Section[]): readonly Section[] {
  const [room, setRoom] = useState(slice);
  let weight = 0;
  const beyond = sections.findIndex((section, index) => {
    weight += section.weight;
    return index > 0 && weight > room;
  });
  useEffect(() => {
    if (beyond < 0) return;
    const timer = setTimeout(() => setRoom((before) => before + slice), 16);
    return () => clearTimeout(timer);
  }, [beyond]);
  return beyond < 0 ? sections : sections.slice(0, beyond);
}

/** Markdown as elements of ours. `live`: the text is still growing. */
export const MarkdownText = memo(function MarkdownText({ text, live }: { text: string; live: boolean }) {
  // Typing and scrolling go first; a frame that comes too soon is skipped.
  const deferred = useDeferredValue(text);
  const document = useDocument(live ? deferred : text, live);
  const footnotes = useId();
  return (
    <FootnotesContext value={footnotes}>
      <div onCopy={copySelection}>
        {useRenderedSections(document.sections).map((section, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: sections are only ever added at the end
          <SectionPart key={index} section={section} />
        ))}
      </div>
    </FootnotesContext>
  );
});
