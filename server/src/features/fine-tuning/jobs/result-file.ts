const isTable = (bytes: Buffer) => /^(\xEF\xBB\xBF)?"?step/i.test(bytes.toString('latin1'));
const isBase64 = (bytes: Buffer) => /^[A-Za-z0-9+/=\s]+$/.test(bytes.toString('latin1'));
const enoughToKnow = 16;

/** The provider's table of metrics, decoded where a provider sends it as Base64. */
export async function* resultTable(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = content[Symbol.asyncIterator]();
  let beginning: Buffer = Buffer.alloc(0);
  while (beginning.length < enoughToKnow) {
    const next = await chunks.next();
    if (next.done) break;
    beginning = Buffer.concat([beginning, next.value]);
  }
  async function* whole() {
    yield beginning;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  yield* isTable(beginning) || !isBase64(beginning) ? whole() : decoded(whole());
}

async function* decoded(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = '';
  for await (const chunk of content) {
    const letters = rest + chunk.toString('latin1').replace(/\s/g, '');
    const whole = letters.length - (letters.length % 4);
    yield Buffer.from(letters.slice(0, whole), 'base64');
    rest = letters.slice(whole);
  }
  yield Buffer.from(rest, 'base64');
}
