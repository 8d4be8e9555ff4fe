import { answer, question } from './prose.ts';

const megabyte = 1024 * 1024;

/** A training file of about this size, with different valid lines. */
export function trainingFile(size = 50 * megabyte): Buffer {
  const lines: string[] = [];
  for (let bytes = 0, number = 0; bytes < size - 10_000; number++) {
    const messages = [
      { role: 'system', content: 'You answer in short.' },
      { role: 'user', content: `${number}: ${question()}` },
      { role: 'assistant', content: answer() },
    ];
    const line = `${JSON.stringify({ messages })}\n`;
    bytes += Buffer.byteLength(line);
    lines.push(line);
  }
  return Buffer.from(lines.join(''));
}
