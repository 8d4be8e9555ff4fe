import type { ToolResult } from '#server/conversation/tools';
import { maskSecret, sizeOf, truncateResult } from '#server/features/tool-servers/shared/result-text';
import { sanitizeText } from '#server/features/tool-servers/shared/tool-snapshot';
import type { OutboundResponse } from '#server/outbound/ssrf-guard';

const maxRead = 1024 * 1024;
/** Longer than a secret in any of its forms, so that none is cut into halves that are not found. */
const overlap = 32 * 1024;

const isText = (type: string) =>
  type === '' ||
  /^text\//.test(type) ||
  /[/+](json|xml|yaml|javascript|csv|x-ndjson|ndjson|jsonl|x-yaml|graphql|x-www-form-urlencoded)$/.test(type);

/** Bytes that were read; `isWhole` is false if there was more. */
async function bytesOf(answer: OutboundResponse): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxRead + overlap) break;
  }
  const bytes = Buffer.concat(chunks);
  const isWhole = size <= maxRead + overlap;
  return { bytes: isWhole ? bytes : bytes.subarray(0, maxRead + overlap), isWhole };
}

function decoded(bytes: Buffer, type: string): string {
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

const isBinary = (type: string, bytes: Buffer) => !isText(type) || (type === '' && bytes.includes(0));

/** An answer as text for a model: its status, its type and its text. @throws OutboundRequestError */
export async function answerText(answer: OutboundResponse, secret: string | null): Promise<ToolResult> {
  const { status, headers } = answer;
  const contentType = headers.get('content-type') ?? '';
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const { bytes, isWhole } = await bytesOf(answer);
  const isError = status < 200 || status > 299;
  const head = `HTTP ${status}${type && ` ${maskSecret(sanitizeText(type.slice(0, 100)), secret)}`}`;
  if (bytes.length === 0) return { text: head, isError };
  if (isBinary(type, bytes)) {
    const size = isWhole ? sizeOf(bytes.length) : 'more than 1 MB';
    return { text: `${head}\n[no text, ${size}: it cannot be given here]`, isError };
  }
  const text = maskSecret(decoded(bytes, contentType), secret);
  // The end may hold a part of the secret, so it is left out.
  const kept = isWhole ? text : text.slice(0, Math.max(0, text.length - overlap));
  return { text: truncateResult(sanitizeText(`${head}\n\n${kept}`), isWhole ? undefined : 'more than 1 MB'), isError };
}
