/** How a question looks, on its way and stored alike, so that nothing moves when it has arrived. */
export const questionLineClass = 'flex flex-col items-end md:flex-row-reverse md:gap-2';
export const questionClass =
  'min-w-0 max-w-[88%] rounded-lg md:max-w-[76%] bg-muted px-4 py-2.5 leading-6 md:text-[15px]';
/** Each line has a direction of its own, and nothing is painted outside, such as marks piled up over a letter. */
export const questionTextClass =
  'overflow-clip whitespace-pre-wrap [overflow-clip-margin:4px] [overflow-wrap:anywhere] [unicode-bidi:plaintext]';
export const isLongQuestion = (text: string) => text.length > 1600 || text.split('\n').length > 22;
