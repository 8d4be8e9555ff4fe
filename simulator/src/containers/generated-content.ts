import { crc32, deflateSync } from 'node:zlib';

const MEGABYTE = 1024 * 1024;

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const WIDTH = 480;
const HEIGHT = 300;
const BARS = [0.35, 0.6, 0.45, 0.8, 0.7, 0.95];

/** A bar chart in three colors. */
function colorAt(x: number, y: number): readonly [number, number, number] {
  const column = (x / WIDTH) * BARS.length;
  const bar = BARS[Math.floor(column)] ?? 0;
  const isBar = column % 1 > 0.2 && column % 1 < 0.8 && y > HEIGHT * (1 - bar * 0.9);
  if (isBar) return [37, 99, 235];
  return y % 60 === 0 ? [209, 213, 219] : [249, 250, 251];
}

function picture(): Buffer {
  const rows = Buffer.alloc(HEIGHT * (1 + WIDTH * 3));
  for (let y = 0; y < HEIGHT; y += 1)
    for (let x = 0; x < WIDTH; x += 1) {
      const at = y * (1 + WIDTH * 3) + 1 + x * 3;
      for (const [part, value] of colorAt(x, y).entries()) rows[at + part] = value;
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Eight bits each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const PICTURE = picture();
const HOSTILE_PAGE = '<!DOCTYPE html><script>document.title = "Ran"</script><h1>Not a picture</h1>\n';
const HOSTILE_DRAWING =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="document.title = \'Ran\'"><circle r="9"/></svg>\n';

/** The content of a generated file, chosen by its name. */
export function contentOf(name: string): Buffer {
  if (name.startsWith('empty')) return Buffer.alloc(0);
  if (name.startsWith('large')) return Buffer.alloc(50 * MEGABYTE + 1, 'x');
  if (name.startsWith('html')) return Buffer.from(HOSTILE_PAGE);
  if (name.endsWith('.svg')) return Buffer.from(HOSTILE_DRAWING);
  if (/\.(png|jpe?g|webp|gif)$/.test(name)) return PICTURE;
  if (name.endsWith('.csv')) return Buffer.from('month,value\nJanuary,35\nFebruary,60\nMarch,45\n');
  if (name.endsWith('.bin')) return Buffer.from([0, 1, 2, 3, 255, 254]);
  return Buffer.from(`Made by code: ${name}\n`);
}
