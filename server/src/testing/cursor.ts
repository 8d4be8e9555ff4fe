/** A cursor as lists make them, of a place that no list gave. */
export const cursorOf = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString('base64url');
