import { z } from 'zod';

/** A page of the web that an answer is taken from. */
export const WebLink = z.object({ url: z.string(), title: z.string() });
export type WebLink = z.output<typeof WebLink>;

/** With its place: before this character (UTF-16 unit) of the answer's text. */
export const PlacedLink = WebLink.extend({ at: z.number().int() });
export type PlacedLink = z.output<typeof PlacedLink>;

export const webLinksLimit = 200;
