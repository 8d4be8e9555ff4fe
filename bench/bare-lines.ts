// The floor of a check: the same file read line by line, each parsed and forgotten.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

for (let run = 0; run < Number(process.argv[3]); run++) {
  const from = performance.now();
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(process.argv[2] ?? '') })) {
    JSON.parse(line);
    lines++;
  }
  process.send?.({ lines, took: performance.now() - from });
}
