import { z } from 'zod';
import { Id } from '../endpoint.ts';
import { textUpTo } from '../text/text.ts';

const searchedDomainsLimit = 20;

const domainMessage = 'Enter a domain like example.org, without https:// and without a path';
/** Subdomains are searched too. */
const SearchedDomain = z
  .string(domainMessage)
  .max(253, domainMessage)
  .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i, domainMessage);

const placeLimit = 100;
/** The approximate place from which a search is made. */
export const SearchLocation = z.strictObject({
  city: textUpTo(placeLimit, `City cannot exceed ${placeLimit} characters`).optional(),
  region: textUpTo(placeLimit, `Region cannot exceed ${placeLimit} characters`).optional(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'Enter the country as two capital letters, like NL')
    .optional(),
});
export type SearchLocation = z.output<typeof SearchLocation>;

/** Built-in tools of an assistant. Each one that is present is switched on. */
export const AssistantTools = z.strictObject({
  webSearch: z
    .strictObject({
      /** Limits the search to these domains; left out: all. */
      domains: z
        .array(SearchedDomain)
        .max(searchedDomainsLimit, `At most ${searchedDomainsLimit} domains can be named`)
        .optional(),
      location: SearchLocation.optional(),
    })
    .optional(),
  codeInterpreter: z.strictObject({}).optional(),
  imageGeneration: z.strictObject({}).optional(),
});
export type AssistantTools = z.output<typeof AssistantTools>;

export const BuiltInTool = AssistantTools.keyof();
export type BuiltInTool = z.output<typeof BuiltInTool>;
export const builtInTools = BuiltInTool.options;

/** The servers that a user can have, and as many that others offer. */
const maxServersOff = 100;

/** Tools switched on or off in one conversation; what is left out follows the assistant. */
export const ThreadTools = z.strictObject({
  webSearch: z.boolean().optional(),
  codeInterpreter: z.boolean().optional(),
  imageGeneration: z.boolean().optional(),
  /** Tool servers whose tools are not used in the conversation. */
  serversOff: z
    .array(Id)
    .max(maxServersOff, `At most ${maxServersOff} tool servers can be switched off`)
    .refine((ids) => new Set(ids).size === ids.length, 'Name each tool server once')
    .optional(),
});
export type ThreadTools = z.output<typeof ThreadTools>;
