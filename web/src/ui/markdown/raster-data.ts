/** Pictures of pixels that come with the text: drawing them asks nobody, and nothing runs in them. SVG is not among them. */
const begin = 'data:image/(?:png|jpe?g|gif|webp|avif);base64,';
const whole = new RegExp(`^${begin}[A-Za-z0-9+/]+={0,2}$`, 'i');
const within = new RegExp(`(${begin})[A-Za-z0-9+/=]+`, 'gi');

const largest = 4_000_000;

export const isRasterData = (address: string) => address.length <= largest && whole.test(address);

/** A text without the data of its pictures, which takes no work to read however long it is. */
export const withoutRasterData = (text: string) => (text.includes(';base64,') ? text.replace(within, '$1') : text);
