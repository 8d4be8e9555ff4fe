import { type ContentKey, contentKey } from '#server/features/fine-tuning/files/check/json-line';
import { isObject, type JsonObject } from '#server/lib/is-object';

export type Side = 'training' | 'validation';

/** `beginning`: what begins alike stays together. `line`: every line for itself, where all of them begin alike. */
export type SplitBy = 'beginning' | 'line';

/** Where the file is divided; what a line needs to know its side. */
export type Border = {
  by: SplitBy;
  /** A line belongs to the validation where its place is below, */
  below: number;
  /** unless it is at one of these, where more lines stand than there was room for. */
  except: readonly number[];
};

export type SplitPlan = {
  training: number;
  validation: number;
  border: Border;
  /** The first line that is no training example, with which a file cannot be divided. */
  wrongLine: number | null;
};

/** An order that is as good as drawn by lot and yet always the same: by the hash of a content. */
const placeOf = ({ high }: ContentKey) => high;

/** The messages up to the first of the user, or the prompt: examples of one conversation have them in common. */
function beginningOf({ messages: ofChat, input, prompt }: JsonObject): JsonObject {
  const messages = isObject(input) ? input.messages : ofChat;
  if (!Array.isArray(messages)) return { prompt };
  const first = messages.findIndex((message: unknown) => isObject(message) && message.role === 'user');
  return { messages: first < 0 ? messages : messages.slice(0, first + 1) };
}

const placeBy = (by: SplitBy, example: JsonObject) =>
  placeOf(contentKey(by === 'line' ? example : beginningOf(example)));

/** Of each line, for the same border. */
export function sides({ by, below, except }: Border): (example: JsonObject) => Side {
  const exceptions = new Set(except);
  return (example) => {
    const place = placeBy(by, example);
    return place < below && !exceptions.has(place) ? 'validation' : 'training';
  };
}

/** Four bytes for each. */
function placeList() {
  let size = 0;
  let places = new Uint32Array(1024);
  return {
    add(place: number) {
      if (size === places.length) {
        const larger = new Uint32Array(size * 2);
        larger.set(places);
        places = larger;
      }
      places[size++] = place;
    },
    sorted: () => places.subarray(0, size).sort(),
  };
}

/** How many stand at each place, in the order of the places. */
function* groups(sorted: Uint32Array): Generator<{ place: number; count: number }> {
  for (let from = 0; from < sorted.length; ) {
    const place = sorted[from] ?? 0;
    let to = from + 1;
    while (sorted[to] === place) to++;
    yield { place, count: to - from };
    from = to;
  }
}

/**
 * Notes where all examples stand, and sets the border where the wanted share lies below it. What begins alike has the
 * same place, so it is never on both sides.
 */
export function createSplitPlanner(share: number) {
  const byBeginning = placeList();
  const byLine = placeList();
  return {
    add(example: JsonObject) {
      byBeginning.add(placeBy('beginning', example));
      byLine.add(placeBy('line', example));
    },
    result(wrongLine: number | null): SplitPlan {
      const beginnings = byBeginning.sorted();
      const by: SplitBy = beginnings.at(0) === beginnings.at(-1) ? 'line' : 'beginning';
      const places = by === 'line' ? byLine.sorted() : beginnings;
      const { validation, below, except } = borderOf(places, Math.max(1, Math.round(places.length * share)));
      return { training: places.length - validation, validation, border: { by, below, except }, wrongLine };
    },
  };
}

/**
 * Takes groups as they stand until there are enough, and passes over those that would be too many. A hundredth less than
 * is wanted is enough: so those passed over are larger than that, and few.
 */
function borderOf(places: Uint32Array, wanted: number): { validation: number; below: number; except: number[] } {
  const passed: number[] = [];
  let validation = 0;
  let smallest = { place: 0, count: 0 };
  for (const group of groups(places)) {
    if (smallest.count === 0 || group.count < smallest.count) smallest = group;
    if (validation + group.count > wanted) {
      passed.push(group.place);
      continue;
    }
    validation += group.count;
    if (wanted - validation < wanted / 100) return { validation, below: group.place + 1, except: passed };
  }
  if (validation > 0) return { validation, below: 2 ** 32, except: passed };
  // Every group is more than is wanted.
  const others = passed.filter((place) => place < smallest.place);
  return { validation: smallest.count, below: smallest.place + 1, except: others };
}
