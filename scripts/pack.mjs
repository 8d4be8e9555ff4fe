// npm run pack creates roster-VERSION.tgz, which runs without a clone, in the folder release/
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { installAndContinue, root } from './install.mjs';

installAndContinue();
const { makePackage } = await import('./package/make.mjs');
const file = makePackage(join(root, 'release'));
console.log(`${file}: ${(statSync(file).size / 1024 / 1024).toFixed(1)} MB`);
