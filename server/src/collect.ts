import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { type: 'minor' | 'major'; execution: 'sync' }) => void;

let collector: Collect | undefined;

/** Has the engine collect what is not used any more: of what is young, one to two milliseconds; of all, some tens. */
export function collect(type: 'minor' | 'major') {
  if (!collector) {
    setFlagsFromString('--expose-gc');
    const found: unknown = runInNewContext('gc');
    if (!isCollector(found)) throw new Error('This engine has no collector that can be called');
    collector = found;
  }
  collector({ type, execution: 'sync' });
}

const isCollector = (found: unknown): found is Collect => typeof found === 'function';
