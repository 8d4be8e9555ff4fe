// Runs before the first paint, so that the page never flashes in the wrong theme or colors. A file of its own because
// the content security policy allows no inline script. `src/lib/theme.ts` writes what is read here, and goes on from it.
(() => {
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      // Storage is refused: the default theme is used.
      return null;
    }
  };
  const root = document.documentElement;
  const choice = read('app-theme');
  const light =
    choice === 'light' || (choice === 'system' && window.matchMedia('(prefers-color-scheme: light)').matches);
  root.dataset.theme = light ? 'light' : 'dark';

  try {
    const palette = JSON.parse(read('app-colors') ?? 'null');
    if (palette) {
      for (const [name, color] of Object.entries(palette.colors))
        if (/^--[a-z-]+$/.test(name) && /^#[0-9a-f]{6}$/.test(color)) root.style.setProperty(name, color);
      root.dataset.colors = 'custom';
      root.dataset.theme = palette.scheme === 'light' ? 'light' : 'dark';
    }
  } catch {
    // Not something Roster wrote: the theme's own colors stay.
  }

  // Zod tries `new Function` as soon as a schema is made, which the content security policy reports as a violation.
  // It has to be told before the first module is evaluated; this is where `z.config({ jitless: true })` keeps it.
  globalThis.__zod_globalConfig = { jitless: true };
})();
