// Takes the pictures of README and documents from a demo of its own: npm run pictures. Names of pictures as arguments
// take only those, such as `npm run pictures chat`; DEMO_URL names a demo that is running, such as http://localhost:3000.
import { writeFileSync } from 'node:fs';
import { installAndContinue, root } from './install.mjs';

installAndContinue();
const { build } = await import('./build.mjs');
const { chromium: findChromium } = await import('./chromium.mjs');
const { signIn, withDemo } = await import('./demo/with-demo.mjs');
const { pictures } = await import('./demo/pictures.mjs');
const { chromium } = await import('@playwright/test');

const executablePath = findChromium();
if (!executablePath || !build()) process.exit(1);
const wanted = process.argv.slice(2);

/** As WebP, which the browser encodes itself: a third of a PNG's size, and GitHub shows it. */
async function webp(blank, png) {
  const url = `data:image/png;base64,${png.toString('base64')}`;
  const encoded = await blank.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.86);
  }, url);
  return Buffer.from(encoded.split(',')[1], 'base64');
}

async function takePictures(url) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
    await signIn(context, url);
    const blank = await browser.newPage();
    const read = async (path) => (await context.request.get(`${url}${path}`)).json();
    for (const [name, show] of Object.entries(pictures)) {
      if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
      const page = await context.newPage();
      page.setDefaultTimeout(40_000);
      await show(page, { url, read });
      await page.evaluate(() => document.fonts.ready);
      const bytes = await webp(blank, await page.screenshot({ animations: 'disabled', caret: 'hide' }));
      writeFileSync(`${root}/docs/images/${name}.webp`, bytes);
      console.log(`docs/images/${name}.webp  ${Math.round(bytes.length / 1_024)} KB`);
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

const { DEMO_URL } = process.env;
await (DEMO_URL ? takePictures(DEMO_URL) : withDemo(takePictures));
