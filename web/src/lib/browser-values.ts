/** Removes everything that this application has kept in the browser: of a closed account nothing stays. */
export function forgetBrowserValues(): void {
  try {
    localStorage.clear();
    sessionStorage.clear();
  } catch {
    // Storage is refused, so nothing was kept.
  }
}
