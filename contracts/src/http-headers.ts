/** Headers that define a request, in lower case: nobody's own header may change them. */
export const requestHeaders = [
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

/** RFC 9110, section 5.6.2: a token. */
export const headerNamePattern = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** For values of headers: no line break can begin another header. */
export const printableAscii = /^[\x20-\x7e]+$/;
