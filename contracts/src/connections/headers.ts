import { z } from 'zod';
import { headerNamePattern, printableAscii, requestHeaders } from '../http-headers.ts';

export const headersPerConnection = 10;

/** Headers that Roster or the connection itself sets. */
const reserved = new Set<string>([...requestHeaders, 'cookie', 'http2-settings', 'set-cookie']);
const isReserved = (name: string) => reserved.has(name.toLowerCase()) || /^proxy-/i.test(name);
const isForKey = (name: string) => name.toLowerCase() === 'authorization';

const ConnectionHeaderName = z
  .string()
  .trim()
  .min(1, 'Enter the name of the header')
  .max(100, 'The name of a header has at most 100 characters')
  .regex(headerNamePattern, 'The name of a header has letters, digits and hyphens')
  .refine((name) => !isForKey(name), 'Authorization is for the key: enter it as the API key')
  .refine((name) => !isReserved(name), 'A connection cannot set this header');

const ConnectionHeaderValue = z
  .string()
  .trim()
  .min(1, 'Enter the value of the header')
  .max(4_000, 'The value of a header has at most 4,000 characters')
  .regex(printableAscii, 'The value contains characters that a header cannot contain');

export const ConnectionHeader = z.strictObject({ name: ConnectionHeaderName, value: ConnectionHeaderValue });
export type ConnectionHeader = z.output<typeof ConnectionHeader>;

const areDifferent = (headers: readonly { name: string }[]) =>
  new Set(headers.map(({ name }) => name.toLowerCase())).size === headers.length;
const twice = 'A header can be set once';
const tooMany = `A connection can have ${headersPerConnection} headers`;

/** Sent with each request to the connection's address, such as those that a gateway wants. */
export const ConnectionHeaders = z
  .array(ConnectionHeader)
  .max(headersPerConnection, tooMany)
  .refine(areDifferent, twice);

/** All headers from now on. `value` left out: the stored one stays. */
export const ConnectionHeaderChanges = z
  .array(ConnectionHeader.partial({ value: true }))
  .max(headersPerConnection, tooMany)
  .refine(areDifferent, twice);
export type ConnectionHeaderChanges = z.output<typeof ConnectionHeaderChanges>;
