import type { Fault } from './fault.ts';

export type FaultMatch = {
  /** Below `/v1`, such as `/responses`; a final `*` matches anything. */
  path?: string;
  method?: string;
  /** Any part of the key. */
  key?: string;
  model?: string;
};

export type FaultRule = { match: FaultMatch; fault: Fault; times?: number };

type Subject = { path: string; method: string; key: string; model: string };

function samePath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

function matches(match: FaultMatch, subject: Subject): boolean {
  return (
    (match.path === undefined || samePath(match.path, subject.path)) &&
    (match.method === undefined || match.method.toUpperCase() === subject.method) &&
    (match.key === undefined || subject.key.includes(match.key)) &&
    (match.model === undefined || match.model === subject.model)
  );
}

/** The faults requested through the control route, oldest first. */
export class FaultList {
  #rules: { rule: FaultRule; left: number }[] = [];

  add(rule: FaultRule): void {
    this.#rules.push({ rule, left: rule.times ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.#rules = [];
  }

  rules(): (FaultRule & { left: number | null })[] {
    return this.#rules.map(({ rule, left }) => ({ ...rule, left: Number.isFinite(left) ? left : null }));
  }

  /** Uses up one of the first matching rule; later ones wait for their turn. */
  take(subject: Subject): Fault {
    const found = this.#rules.find(({ rule }) => matches(rule.match, subject));
    if (found === undefined) return {};
    found.left -= 1;
    if (found.left <= 0) this.#rules = this.#rules.filter((entry) => entry !== found);
    return found.rule.fault;
  }
}
