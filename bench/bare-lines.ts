// The floor of a check: reads the same file line by line, parsing and discarding each.
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
