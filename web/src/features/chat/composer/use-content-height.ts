import { type RefObject, useLayoutEffect } from 'react';

/** Resizes the field to its content where the browser cannot do that in CSS. */
export function useContentHeight(box: RefObject<HTMLTextAreaElement | null>, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text through the page
  useLayoutEffect(() => {
    const field = box.current;
    if (!field || CSS.supports('field-sizing', 'content')) return;
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight}px`;
  }, [text]);
}
