import { messageLimit } from '@roster/contracts/chat';
import { type RefObject, useEffect, useEffectEvent } from 'react';

export const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

type Taken = {
  onFiles: (files: File[]) => void;
  /** Called with a pasted text that is too long for a message. */
  onLongText: (text: string) => void;
};

/** Handles content dropped onto the conversation or pasted into the composer. */
export function useDropAndPaste(box: RefObject<HTMLTextAreaElement | null>, { onFiles, onLongText }: Taken): void {
  const take = useEffectEvent(onFiles);
  const takeLongText = useEffectEvent(onLongText);
  useEffect(() => {
    const field = box.current;
    const section = field?.closest('section');
    if (!field || !section) return;
    const controller = new AbortController();
    const { signal } = controller;
    const over = (event: DragEvent) => {
      if (carriesFiles(event)) event.preventDefault();
    };
    section.addEventListener('dragenter', over, { signal });
    section.addEventListener('dragover', over, { signal });
    section.addEventListener(
      'drop',
      (event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
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
        if (text.length > messageLimit) takeLongText(text.replaceAll('\r\n', '\n'));
        // Office programs add an image of the copied text; use the text.
        if (files.length === 0 || text !== '') return;
        event.preventDefault();
        take(files);
      },
      { signal },
    );
    return () => controller.abort();
  }, [box]);
}
