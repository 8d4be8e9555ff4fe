/** Random, and available without https, unlike `crypto.randomUUID`. */
export const newClientId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
