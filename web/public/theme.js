// Runs before the first paint, so that the page never flashes in the wrong theme. A file of its own because the
// content security policy allows no inline script. `src/lib/theme.ts` goes on from here.
(() => {
  let choice = null;
  try {
    choice = localStorage.getItem('app-theme');
  } catch {
    // Storage is refused: the default theme is used.
  }
  const light =
    choice === 'light' || (choice === 'system' && window.matchMedia('(prefers-color-scheme: light)').matches);
  document.documentElement.dataset.theme = light ? 'light' : 'dark';

  // Zod tries `new Function` as soon as a schema is made, which the content security policy reports as a violation.
  // It has to be told before the first module is evaluated; this is where `z.config({ jitless: true })` keeps it.
  globalThis.__zod_globalConfig = { jitless: true };
})();
