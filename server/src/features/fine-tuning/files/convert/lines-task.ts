import { formatOf } from '#server/features/fine-tuning/files/check/example';
import { detectContent } from '#server/features/fine-tuning/files/check/first-bytes';
import { readLine } from '#server/features/fine-tuning/files/check/json-line';
import { type Line, lineReader } from '#server/features/fine-tuning/files/lines';
import type { TaskRunner, Tasks } from '#server/features/fine-tuning/files/task';
import type { JsonObject } from '#server/lib/is-object';
import { createPairInspection, parsePair, toConversation } from './pairs.ts';
import { createSplitPlanner, sides } from './split.ts';

/** Reads lines one by one. `see` gets no blank ones, and undefined for anything but an object. */
function eachLine(
  see: (value: JsonObject | undefined, line: Line) => void,
  reading: Parameters<typeof readLine>[1],
): Pick<TaskRunner, 'take' | 'next'> {
  const reader = lineReader((line) => {
    const read = readLine(line.bytes, reading);
    if (read.kind !== 'blank') see(read.kind === 'object' ? read.value : undefined, line);
  });
  let isStarted = false;
  return {
    take(chunk) {
      let bytes = chunk;
      if (!isStarted) {
        isStarted = true;
        const content = detectContent(chunk);
        if (content.kind === 'text' && content.hasMark) bytes = chunk.subarray(3);
      }
      reader.push(bytes);
      return false;
    },
    next: reader.end,
  };
}

/** Collects output until it is requested. */
function output() {
  let lines: string[] = [];
  return {
    add: (line: string) => lines.push(`${line}\n`),
    made() {
      const text = lines.join('');
      lines = [];
      return text;
    },
  };
}

/** The new file must contain everything that the line says. */
const textsWhole = { imagesApart: false };

export function inspectPairsJob(): TaskRunner<'inspectPairs'> {
  const inspection = createPairInspection();
  const seePair = (value: JsonObject | undefined, { number }: Line) => {
    const pair = value && parsePair(value);
    if (pair) inspection.see(pair, number);
    else inspection.seeOther(number);
  };
  return { ...eachLine(seePair, textsWhole), result: inspection.result };
}

export function convertJob({ trimming }: Tasks['convert']['order']): TaskRunner<'convert'> {
  const { add, made } = output();
  let examples = 0;
  const convert = (value: JsonObject | undefined) => {
    const pair = value && parsePair(value);
    const conversation = pair && toConversation(pair, trimming);
    if (conversation === undefined) return;
    examples++;
    add(conversation);
  };
  return { ...eachLine(convert, textsWhole), made, result: () => ({ examples }) };
}

export function planJob({ share }: Tasks['plan']['order']): TaskRunner<'plan'> {
  const plan = createSplitPlanner(share);
  let wrongLine: number | null = null;
  const note = (value: JsonObject | undefined, { number }: Line) => {
    if (value && formatOf(value) !== 'unknown') plan.add(value);
    else wrongLine ??= number;
  };
  const { take, next } = eachLine(note, { imagesApart: true });
  return {
    take: (chunk) => take(chunk) || wrongLine !== null,
    next,
    result: () => plan.result(wrongLine),
  };
}

export function splitJob({ border, side }: Tasks['split']['order']): TaskRunner<'split'> {
  const { add, made } = output();
  const sideOf = sides(border);
  const divide = (value: JsonObject | undefined, { bytes }: Line) => {
    if (value && bytes && sideOf(value) === side) add(bytes.toString());
  };
  return { ...eachLine(divide, { imagesApart: true }), made, result: () => null };
}
