/** Milliseconds of work before the browser may paint and handle input. */
const sliceMs = 6;

/** Starts a slice and returns a function that tells when it is over. */
export function startSlice(): () => boolean {
  const end = performance.now() + sliceMs;
  return () => performance.now() >= end;
}
