import type { ContentKey } from './json-line.ts';

export type Side = 'training' | 'validation';

export type DivisionPlan = {
  training: number;
  validation: number;
  /** An example belongs to the validation where its place is below. */
  border: number;
  /** The first line that is no training example, with which a file cannot be divided. */
  wrongLine: number | null;
};

/** Where an example stands in an order that is as good as drawn by lot and yet always the same: the hash of its content. */
const placeOf = ({ high }: ContentKey) => high;

export const sideOf = (key: ContentKey, border: number): Side => (placeOf(key) < border ? 'validation' : 'training');

/**
 * Notes the places of all examples, four bytes for each, and sets the border where the wanted share lies below it. What
 * is equal has the same place, so an example and its double are never on both sides.
 */
export function divisionPlan(share: number) {
  let size = 0;
  let places = new Uint32Array(1024);
  return {
    add(key: ContentKey) {
      if (size === places.length) {
        const larger = new Uint32Array(size * 2);
        larger.set(places);
        places = larger;
      }
      places[size++] = placeOf(key);
    },
    result(wrongLine: number | null): DivisionPlan {
      const sorted = places.subarray(0, size).sort();
      const wanted = Math.max(1, Math.round(size * share));
      const border = (sorted[Math.min(wanted, size) - 1] ?? 0) + 1;
      const above = sorted.findIndex((place) => place >= border);
      const validation = above < 0 ? size : above;
      return { training: size - validation, validation, border, wrongLine };
    },
  };
}
