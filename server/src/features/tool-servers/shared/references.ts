import { isObject } from '#server/lib/is-object';

/** Reason why an operation is not taken, in words. */
export class OmittedOperationError extends Error {
  override name = 'OmittedOperationError';
}

const maxHops = 20;

/** One step of a pointer, however it is encoded. */
function plainPart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

export const refOf = (value: unknown): string | null =>
  isObject(value) && typeof value.$ref === 'string' ? value.$ref : null;

/** Resolves references within the document. No other document is ever fetched. @throws OmittedOperationError */
export function references(document: unknown) {
  function at(ref: string): unknown {
    if (!ref.startsWith('#'))
      throw new OmittedOperationError('it refers to another document, which Roster does not fetch');
    let found: unknown = document;
    for (const part of ref.slice(1).split('/').slice(1).map(plainPart)) {
      const inside = typeof found === 'object' && found !== null && Object.hasOwn(found, part);
      if (!inside) throw new OmittedOperationError(`it refers to something that does not exist: ${ref.slice(0, 100)}`);
      found = Reflect.get(Object(found), part);
    }
    return found;
  }
  return {
    at,
    /** Follows references that lead to references. */
    follow(value: unknown): unknown {
      let found = value;
      for (let hops = 0; hops <= maxHops; hops++) {
        const ref = refOf(found);
        if (ref === null) return found;
        found = at(ref);
      }
      throw new OmittedOperationError('its references are circular');
    },
  };
}

export type References = ReturnType<typeof references>;
