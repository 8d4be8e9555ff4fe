import { memo, useDeferredValue, useEffect, useId, useState } from 'react';
import { BlockPart } from './blocks.tsx';
import { copySelection } from './copied-selection.ts';
import { isWhole, type MarkdownDocument, parseMarkdown } from './document.ts';
import { FootnotesContext } from './footnote.tsx';
import { startSlice } from './time-slice.ts';
import type { Section } from './tree.ts';

/** Rerenders only when its source or its link targets change; while an answer streams in, that is the last block. */
const SectionPart = memo(
  function SectionPart({ section }: { section: Section }) {
    return <BlockPart block={section.block} nested={false} />;
  },
  ({ section: before }, { section: after }) => before.raw === after.raw && before.links === after.links,
);

/** Recently parsed texts, so that scrolling back in a long thread does not parse them again. */
const recentDocuments = new Map<string, MarkdownDocument>();

function remember(document: MarkdownDocument) {
  recentDocuments.delete(document.source);
  recentDocuments.set(document.source, document);
  const oldest = recentDocuments.size > 100 ? recentDocuments.keys().next().value : undefined;
  if (oldest !== undefined) recentDocuments.delete(oldest);
}

/** `shown` is the parsed part of the text; `next` a new parse that replaces it once it has caught up. */
type Reading = { text: string; live: boolean; shown: MarkdownDocument; next: MarkdownDocument | null };

function continueReading(text: string, live: boolean, before: Reading | undefined): Reading {
  const started = before ? (before.next ?? before.shown) : recentDocuments.get(text);
  const document = parseMarkdown(text, started, startSlice());
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

/** Number of elements rendered at once. */
const slice = 1_500;

/** As many sections as can be rendered without blocking, more after each paint. */
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

/** Renders Markdown as React elements. `live`: the text is still growing. */
export const MarkdownText = memo(function MarkdownText({ text, live }: { text: string; live: boolean }) {
  // Typing and scrolling have priority; updates that come too fast are skipped.
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
