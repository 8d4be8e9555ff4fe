/**
 * True if this browser can use passkeys at this address: they need HTTPS or localhost, and a name instead of an IP. The
 * build, which renders the first view without a browser, assumes so.
 */
export const passkeysWork = () =>
  typeof window === 'undefined' ||
  window.location === undefined ||
  ('PublicKeyCredential' in window && !/^(\d+\.){3}\d+$|^\[/.test(window.location.hostname));
