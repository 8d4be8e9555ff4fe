import { z } from 'zod';

export const WebLink = z.object({ url: z.string(), title: z.string() });
export type WebLink = z.output<typeof WebLink>;

/** With its position in the answer’s text: before this UTF-16 unit. */
export const PlacedLink = WebLink.extend({ at: z.number().int() });
export type PlacedLink = z.output<typeof PlacedLink>;

export const webLinksLimit = 200;
