import { type RefObject, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { carriesFiles } from './use-drop-and-paste.ts';

/** Overlay shown while files are dragged over the conversation. */
export function DropZone({ box, text }: { box: RefObject<HTMLTextAreaElement | null>; text: string }) {
  const [pane, setPane] = useState<HTMLElement | null>(null);
  const [dragging, setDragging] = useState(false);
  useEffect(() => {
    const section = box.current?.closest('section') ?? null;
    setPane(section);
    if (!section) return;
    const controller = new AbortController();
    const { signal } = controller;
    const over = (event: DragEvent) => carriesFiles(event) && setDragging(true);
    section.addEventListener('dragenter', over, { signal });
    section.addEventListener('dragover', over, { signal });
    section.addEventListener('drop', () => setDragging(false), { signal });
    section.addEventListener(
      'dragleave',
      ({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && section.contains(relatedTarget))) setDragging(false);
      },
      { signal },
    );
    return () => controller.abort();
  }, [box]);
  if (!dragging || !pane) return null;
  return createPortal(
    <div
      aria-hidden
      className="pointer-events-none absolute inset-2 z-20 flex items-center justify-center rounded-lg border-2 border-primary border-dashed bg-background/90 p-6 text-center font-medium text-lg"
    >
      {text}
    </div>,
    pane,
  );
}
