/** True if this browser can use passkeys at this address: they need HTTPS or localhost, and a name instead of an IP. */
export const passkeysWork = () =>
  'PublicKeyCredential' in window && !/^(\d+\.){3}\d+$|^\[/.test(window.location.hostname);
