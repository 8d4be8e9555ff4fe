import { messageLimit } from '@roster/contracts/chat';
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';

const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/** Files that are dropped onto the conversation or pasted into its composer. */
export function useFilesInto(box: RefObject<HTMLTextAreaElement | null>, onFiles: (files: File[]) => void) {
  const [pane, setPane] = useState<HTMLElement | null>(null);
  const [dragging, setDragging] = useState(false);
  /** The last text that was pasted and is too long for a message. */
  const pasted = useRef('');
  const take = useEffectEvent(onFiles);

  useEffect(() => {
    const field = box.current;
    const section = field?.closest('section') ?? null;
    setPane(section);
    if (!field || !section) return;
    const controller = new AbortController();
    const { signal } = controller;
    const over = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setDragging(true);
    };
    section.addEventListener('dragenter', over, { signal });
    section.addEventListener('dragover', over, { signal });
    section.addEventListener(
      'dragleave',
      ({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && section.contains(relatedTarget))) setDragging(false);
      },
      { signal },
    );
    section.addEventListener(
      'drop',
      (event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setDragging(false);
        take([...(event.dataTransfer?.files ?? [])]);
        field.focus();
      },
      { signal },
    );
    field.addEventListener(
      'paste',
      (event) => {
        const text = event.clipboardData?.getData('text/plain') ?? '';
        const files = [...(event.clipboardData?.files ?? [])];
        if (text.length > messageLimit) pasted.current = text.replaceAll('\r\n', '\n');
        // Office programs put a picture of the text beside it: the text is meant.
        if (files.length === 0 || text !== '') return;
        event.preventDefault();
        take(files);
      },
      { signal },
    );
    return () => controller.abort();
  }, [box]);

  return { pane, dragging, pasted };
}
