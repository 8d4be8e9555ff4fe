import { type ContentKey, contentKey } from '#server/features/fine-tuning/files/check/json-line';
import { isObject, type JsonObject } from '#server/lib/is-object';

export type Side = 'training' | 'validation';

/** `beginning`: lines that begin alike stay together. `line`: each line on its own, if all of them begin alike. */
type SplitBy = 'beginning' | 'line';

/** Division of a file; a line needs it to know its side. */
export type Border = {
  by: SplitBy;
  /** A line belongs to the validation file if its place is below this, */
  below: number;
  /** unless it is one of these, which have more lines than there was room for. */
  except: readonly number[];
};

export type SplitPlan = {
  training: number;
  validation: number;
  border: Border;
  /** The first line that is no training example, and keeps the file from being divided. */
  wrongLine: number | null;
};

/** A pseudo-random order that is always the same: by the hash of the content. */
const placeOf = ({ high }: ContentKey) => high;

/** The messages up to the first of the user, or the prompt: what the examples of one conversation share. */
function beginningOf({ messages: ofChat, input, prompt }: JsonObject): JsonObject {
  const messages = isObject(input) ? input.messages : ofChat;
  if (!Array.isArray(messages)) return { prompt };
  const first = messages.findIndex((message: unknown) => isObject(message) && message.role === 'user');
  return { messages: first < 0 ? messages : messages.slice(0, first + 1) };
}

const placeBy = (by: SplitBy, example: JsonObject) =>
  placeOf(contentKey(by === 'line' ? example : beginningOf(example)));

/** Side of each line, for the same border. */
export function sides({ by, below, except }: Border): (example: JsonObject) => Side {
  const exceptions = new Set(except);
  return (example) => {
    const place = placeBy(by, example);
    return place < below && !exceptions.has(place) ? 'validation' : 'training';
  };
}

/** Takes four bytes for each place. */
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

/** The number of lines at each place, in the order of the places. */
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
 * Records the places of all examples, and sets the border for the wanted share. Lines that begin alike have the same
 * place, so they are never on both sides.
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
 * Takes groups in order until there are enough, and skips those that would be too many. A hundredth less than wanted is
 * enough, so the skipped ones are larger than that, and few.
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
  // Every group is larger than wanted.
  const others = passed.filter((place) => place < smallest.place);
  return { validation: smallest.count, below: smallest.place + 1, except: others };
}
