import { contentOf } from '../containers/generated-content.ts';
import type { JsonObject } from '../http/fields.ts';

/** The outcome of drawing an image: it is drawn, drawing fails, or the bytes are not an image. */
export type Drawing = 'drawn' | 'failed' | 'broken';

export function pictureItem(id: string, prompt: string, drawing: Drawing | null): JsonObject {
  const item = { id, type: 'image_generation_call' };
  if (drawing === null) return { ...item, status: 'in_progress', result: null };
  if (drawing === 'failed') return { ...item, status: 'failed', result: null };
  const bytes = contentOf(drawing === 'drawn' ? 'drawn.png' : 'html');
  const shape = { output_format: 'png', size: '480x300', quality: 'low', background: 'opaque' };
  return {
    ...item,
    status: 'completed',
    revised_prompt: `A drawing: ${prompt}`,
    result: bytes.toString('base64'),
    ...shape,
  };
}
