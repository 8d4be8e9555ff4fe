/** Raster images embedded in the text: showing them makes no request and runs no code. SVG is excluded. */
const begin = 'data:image/(?:png|jpe?g|gif|webp|avif);base64,';
const whole = new RegExp(`^${begin}[A-Za-z0-9+/]+={0,2}$`, 'i');
const within = new RegExp(`(${begin})[A-Za-z0-9+/=]+`, 'gi');

const largest = 4_000_000;

export const isRasterData = (address: string) => address.length <= largest && whole.test(address);

/** The text without image data, which takes no work to parse. */
export const withoutRasterData = (text: string) => (text.includes(';base64,') ? text.replace(within, '$1') : text);
