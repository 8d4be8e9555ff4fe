/** How long the page works on a text before it lets the browser paint and take what is typed. */
const sliceMs = 6;

/** Says when the slice that begins now is over. */
export function startSlice(): () => boolean {
  const end = performance.now() + sliceMs;
  return () => performance.now() >= end;
}
