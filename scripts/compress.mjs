// Writes a .br and a .gz next to every text file of the build, so that the server never compresses files itself. Their
// bytes are kept by content: the libraries take nine seconds, and change only when they are updated.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { root } from './install.mjs';

const dist = join(root, 'web/dist');
const cache = join(root, '.cache/compressed');
const formats = {
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  gz: (bytes) => gzipSync(bytes, { level: 9 }),
};

mkdirSync(cache, { recursive: true });
const used = new Set();
for (const entry of readdirSync(dist, { withFileTypes: true, recursive: true })) {
  if (!entry.isFile() || !/\.(js|css|svg|txt|webmanifest)$/.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const bytes = readFileSync(path);
  if (bytes.length < 1024) continue;
  const hash = createHash('sha256').update(bytes).digest('hex');
  for (const [format, compress] of Object.entries(formats)) {
    const name = `${hash}.${format}`;
    used.add(name);
    const kept = join(cache, name);
    const compressed = existsSync(kept) ? readFileSync(kept) : compress(bytes);
    writeFileSync(`${path}.${format}`, compressed);
    if (existsSync(kept)) continue;
    // Renamed when it is whole: a build may be interrupted.
    writeFileSync(`${kept}.part`, compressed);
    renameSync(`${kept}.part`, kept);
  }
}
for (const name of readdirSync(cache)) if (!used.has(name)) rmSync(join(cache, name));
