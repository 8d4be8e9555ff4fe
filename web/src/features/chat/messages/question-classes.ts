/** Classes shared by pending and stored questions, so that nothing moves on arrival. */
export const questionLineClass = 'flex flex-col items-end md:flex-row-reverse md:gap-2';
export const questionClass =
  'min-w-0 max-w-[88%] rounded-lg md:max-w-[76%] bg-muted px-4 py-2.5 leading-6 md:text-[15px]';
/** Each line has its own direction, and stacked combining marks cannot paint outside. */
export const questionTextClass =
  'overflow-clip whitespace-pre-wrap [overflow-clip-margin:4px] [overflow-wrap:anywhere] [unicode-bidi:plaintext]';
export const isLongQuestion = (text: string) => text.length > 1600 || text.split('\n').length > 22;
