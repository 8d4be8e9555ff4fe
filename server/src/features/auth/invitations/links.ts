/** The token is in the fragment, which browsers send to no server. */
export const invitationLink = (publicUrl: URL, token: string) => new URL(`/invitation#token=${token}`, publicUrl).href;
