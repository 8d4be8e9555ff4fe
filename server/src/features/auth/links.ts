import type { TokenPurpose } from './mailed-token-repository.ts';

const pages: Record<TokenPurpose, string> = {
  password: '/reset-password',
  login: '/login-link',
  'confirm-email': '/confirm-email',
  'new-address': '/confirm-email',
};

/** Links in mails are built from the configured public URL, never from a request. */
export function tokenLinks(publicUrl: URL) {
  return {
    to: (purpose: TokenPurpose, userId: number, token: string) =>
      new URL(`${pages[purpose]}?token=${token}&userId=${userId}`, publicUrl).href,
    askAgain: new URL('/request-reset-password', publicUrl).href,
  };
}
