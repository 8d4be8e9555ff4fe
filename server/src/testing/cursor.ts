/** A cursor in the form of lists, for a position that no list gave. */
export const cursorOf = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString('base64url');
