/** The token of an invitation's link, which is in the fragment; null if there is none. */
export const readInvitationToken = (hash: string): string | null =>
  new URLSearchParams(hash.replace(/^#/, '')).get('token') || null;
