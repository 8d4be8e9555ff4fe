import { randomInt } from 'node:crypto';
import { isObject, type JsonObject } from '#server/lib/is-object';

const textIn = (value: unknown) => (typeof value === 'string' ? value : '');

/** A function call. If its id was unusable, it has one of ours. */
export type ChatCall = {
  callId: string;
  name: string;
  /** Its arguments, with the original digits of numbers. */
  input: string;
  /** Fields that the provider wants back with the call. */
  extra: JsonObject | undefined;
};

type OpenCall = ChatCall & { wireId: string; place: number; isReported: boolean };

type CallListener = {
  /** A call starts; its arguments follow in pieces with the same `place`. */
  call: (place: number, callId: string, name: string) => void;
  arguments: (place: number, text: string) => void;
};

const usableId = /^[\x21-\x7e]{1,200}$/;
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** In the strictest provider's format: nine letters and digits. */
const ownId = () => Array.from({ length: 9 }, () => letters[randomInt(letters.length)]).join('');

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

/** Arguments as text; some servers send an object. */
const argumentsIn = (value: unknown) =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

type Piece = { id: string; number: number | undefined; name: string; given: string; extra: JsonObject | undefined };

/** Reads one entry of a list of calls; undefined: it is empty. */
function pieceOf(value: unknown): Piece | undefined {
  if (!isObject(value)) return undefined;
  const called = isObject(value.function) ? value.function : {};
  const extra = isObject(value.extra_content) ? value.extra_content : undefined;
  const number = typeof value.index === 'number' ? value.index : undefined;
  const piece = { id: textIn(value.id), name: textIn(called.name), given: argumentsIn(called.arguments) };
  const isEmpty = piece.id === '' && piece.name === '' && piece.given === '' && !extra;
  return isEmpty ? undefined : { ...piece, number, extra };
}

/**
 * Assembles calls that arrive in pieces. Servers number the pieces, name their ids, do neither, or give every call the
 * same number or id.
 */
export function createCallCollector(listener: CallListener) {
  const calls: OpenCall[] = [];
  const byNumber = new Map<number, OpenCall>();
  const byId = new Map<string, OpenCall>();
  let length = 0;

  function begin(wireId: string): OpenCall {
    const isFree = usableId.test(wireId) && !calls.some(({ callId }) => callId === wireId);
    const call: OpenCall = {
      callId: isFree ? wireId : ownId(),
      name: '',
      input: '',
      extra: undefined,
      wireId,
      place: calls.length,
      isReported: false,
    };
    calls.push(call);
    return call;
  }

  /** True if the piece belongs to another call than the one with its number or id. */
  function isAnother(call: OpenCall, piece: Piece, inSameEvent: boolean) {
    if (piece.name === '' || call.name === '') return false;
    if (piece.name !== call.name || inSameEvent) return true;
    if (piece.id !== '' && call.wireId !== '' && piece.id !== call.wireId) return true;
    // Some servers repeat id and name with every piece of one call.
    return piece.given.trimStart().startsWith('{') && isWhole(call.input);
  }

  function reportCall(call: OpenCall) {
    if (call.isReported) return;
    call.isReported = true;
    listener.call(call.place, call.callId, call.name);
    if (call.input !== '') listener.arguments(call.place, call.input);
  }

  function say(call: OpenCall, given: string) {
    if (call.name !== '') reportCall(call);
    call.input += given;
    length += given.length;
    if (given !== '' && call.isReported) listener.arguments(call.place, given);
  }

  /** The call with the piece's number or id so far. */
  function found({ id, number }: Piece, position: number): OpenCall | undefined {
    const named = id === '' ? undefined : byId.get(id);
    const numbered = number === undefined && id !== '' ? named : byNumber.get(number ?? position);
    return numbered && named && numbered.wireId !== id ? named : numbered;
  }

  function addOne(piece: Piece, position: number, before: number) {
    const { id, number, name, extra } = piece;
    const open = found(piece, position);
    const call = !open || isAnother(open, piece, open.place >= before) ? begin(id) : open;
    byNumber.set(number ?? position, call);
    if (id !== '') byId.set(id, call);
    call.name ||= name;
    if (extra) call.extra = { ...call.extra, ...extra };
    say(call, piece.given);
  }

  return {
    /** Adds the calls of one event. */
    add(pieces: readonly unknown[]) {
      const before = calls.length;
      for (const [position, value] of pieces.entries()) {
        const piece = pieceOf(value);
        if (piece) addOne(piece, position, before);
      }
    },
    /** Nothing more follows: calls without arguments get an empty object. */
    end() {
      for (const call of calls) {
        reportCall(call);
        if (call.input.trim() === '') say(call, '{}');
      }
    },
    all: (): ChatCall[] => calls.map(({ callId, name, input, extra }) => ({ callId, name, input, extra })),
    count: () => calls.length,
    /** The size of what has been collected, in UTF-16 units. */
    length: () => length,
  };
}

/** True if arguments came as an object, whose numbers must keep their digits. */
export const hasObjectArguments = (pieces: readonly unknown[]) =>
  pieces.some((piece) => isObject(piece) && isObject(piece.function) && typeof piece.function.arguments === 'object');
