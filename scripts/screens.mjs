// Takes a picture of every page and dialog, in both themes and three widths, to look at: npm run screens -- FOLDER.
// Names after the folder take only those, such as `npm run screens -- /tmp/screens chat`; DEMO_URL names a demo that is
// running, and PROVIDER_URL its simulator (http://127.0.0.1:4010/v1), to which two connections are then added. WIDTHS
// and THEMES narrow the rest. CHECK=axe also reports what axe calls serious or critical, and pages that scroll sideways.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { installAndContinue } from './install.mjs';

installAndContinue();
const { build } = await import('./build.mjs');
const { chromium: findChromium } = await import('./chromium.mjs');
const { signIn, withDemo } = await import('./demo/with-demo.mjs');
const { addConnections, idsOf, publicScreens, screens } = await import('./demo/screens.mjs');
const { chromium } = await import('@playwright/test');
const { AxeBuilder } = await import('@axe-core/playwright');

const [given, ...wanted] = process.argv.slice(2);
const executablePath = findChromium();
const { DEMO_URL, PROVIDER_URL, CHECK, WIDTHS = '1440,1280,390', THEMES = 'light,dark' } = process.env;
if (!given) console.error('Name a folder: npm run screens -- FOLDER');
if (!given || !executablePath || !(DEMO_URL || build())) process.exit(1);
const folder = resolve(given);
mkdirSync(folder, { recursive: true });

const heights = { 1440: 900, 1280: 800, 390: 844 };
const isWanted = (name) => wanted.length === 0 || wanted.some((word) => name.includes(word));
const failed = [];

/** Nothing spins or waits any more, and the text has stopped changing. */
async function untilStill(page) {
  // An answer that waits for approval is followed by a stream, which never ends.
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined);
  await page.evaluate(() => document.fonts.ready);
  let before = -1;
  await page.waitForFunction(() => !document.querySelector('main .animate-spin, main [aria-busy=true]'), {
    polling: 200,
  });
  for (;;) {
    const length = await page.evaluate(() => document.body.innerText.length);
    if (length === before) return;
    before = length;
    await page.waitForTimeout(400);
  }
}

async function check(page, file) {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .analyze();
  for (const { id, impact, nodes } of violations.filter(
    ({ impact: each }) => each === 'serious' || each === 'critical',
  ))
    failed.push(`${file}: ${impact} ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (overflow > 0) failed.push(`${file}: scrolls sideways by ${overflow} px`);
}

async function take(context, address, open, file) {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  try {
    await page.goto(address);
    await untilStill(page);
    await open?.(page);
    await untilStill(page);
    const main = await page.evaluate(() => document.querySelector('main')?.scrollHeight ?? 0);
    const { width, height } = page.viewportSize();
    // Scrolling parts of a page are shown whole; what an open dialog covers is not.
    if (!open && main > height) await page.setViewportSize({ width, height: Math.min(main + 80, 3_000) });
    await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
    if (CHECK === 'axe') await check(page, file);
  } catch (error) {
    failed.push(`${file}: ${String(error).split('\n')[0]}`);
  } finally {
    await page.close();
  }
}

/** Every picture of one width and theme. */
async function takeFor(browser, { url, provider }, { width, colorScheme }) {
  const options = { viewport: { width, height: heights[width] ?? 900 }, colorScheme, reducedMotion: 'reduce' };
  const context = await browser.newContext({ ...options, hasTouch: width < 768, isMobile: width < 768 });
  await context.addInitScript(() => localStorage.setItem('app-theme', 'system'));
  const takeEach = async (list, ids) => {
    for (const [name, path, open] of list.filter(([each]) => isWanted(each)))
      await take(
        context,
        `${url}${path.replace(/\{(\w+)\}/, (_, key) => ids[key])}`,
        open,
        `${folder}/${width}-${colorScheme}-${name}.png`,
      );
  };
  await takeEach(publicScreens, {});
  await signIn(context, url);
  if (provider) await addConnections(context, url, provider);
  await takeEach(screens, await idsOf(async (path) => (await context.request.get(`${url}${path}`)).json()));
  await context.close();
  console.log(`${width} px, ${colorScheme}`);
}

async function takeAll(url, provider) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const themes = THEMES.split(',');
  const passes = WIDTHS.split(',').flatMap((width) =>
    themes.map((colorScheme) => ({ width: Number(width), colorScheme })),
  );
  for (const pass of passes) await takeFor(browser, { url, provider }, pass);
  await browser.close();
}

await (DEMO_URL ? takeAll(DEMO_URL, PROVIDER_URL) : withDemo(takeAll));
for (const problem of failed) console.error(problem);
process.exitCode = failed.length > 0 ? 1 : 0;
