import { randomBytes } from 'node:crypto';

/** Random, so that ids of a restarted simulator never collide with those that clients remember. */
export function newId(prefix: string): string {
  return `${prefix}${randomBytes(16).toString('hex')}`;
}

/** The short mixed-case ending of a fine-tuned model's name. */
export function shortId(): string {
  return randomBytes(6).toString('base64url').replaceAll('-', 'x').replaceAll('_', 'Q');
}
