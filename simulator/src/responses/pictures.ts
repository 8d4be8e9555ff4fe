import { readFileSync } from 'node:fs';
import { contentOf } from '../containers/generated-content.ts';
import type { JsonObject } from '../http/fields.ts';

/** The outcome of drawing an image: it is drawn, drawing fails, or the bytes are not an image. */
export type Drawing = 'drawn' | 'failed' | 'broken';

/** `file`: the picture that is drawn; null: the usual one. */
type Picture = { prompt: string; drawing: Drawing; file: string | null };

/** `picture` null: it is being drawn. */
export function pictureItem(id: string, picture: Picture | null): JsonObject {
  const item = { id, type: 'image_generation_call' };
  if (picture === null) return { ...item, status: 'in_progress', result: null };
  const { prompt, drawing, file } = picture;
  if (drawing === 'failed') return { ...item, status: 'failed', result: null };
  const drawn = () => (file === null ? contentOf('drawn.png') : readFileSync(file));
  const bytes = drawing === 'drawn' ? drawn() : contentOf('html');
  const shape = { output_format: 'png', size: '480x300', quality: 'low', background: 'opaque' };
  return {
    ...item,
    status: 'completed',
    revised_prompt: `A drawing: ${prompt}`,
    result: bytes.toString('base64'),
    ...shape,
  };
}
