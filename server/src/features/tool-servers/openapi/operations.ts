import { tidyName } from '@roster/contracts/text/name';
import type { DescribedOperation } from '@roster/contracts/tool-servers/openapi-servers';
import { OmittedOperationError, type References } from '#server/features/tool-servers/shared/references';
import { cutTo, type OmittedTool, sanitizeText, titleLimit } from '#server/features/tool-servers/shared/tool-snapshot';
import { isObject } from '#server/lib/is-object';
import { Operation } from './operation.ts';

type Json = Record<string, unknown>;

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'] as const;
export const pathLimit = 1_000;
/** More than any service has within 20 MB; a hostile description has no end. */
const operationsListed = 20_000;
const maxTags = 5;
const tagLimit = 100;

export const textIn = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

/** Its own id, or else its method and path. */
export const preferredName = ({ operation, method, path }: { operation: unknown; method: string; path: string }) =>
  textIn(isObject(operation) ? operation.operationId : '') || `${method.toLowerCase()}${path}`;

export type ListedOperation = { item: Json; path: string; method: (typeof methods)[number]; operation: unknown };

/** All operations, and paths that cannot be read. */
export function* listOperations(paths: Json, { follow }: References): Generator<ListedOperation | OmittedTool> {
  for (const [path, given] of Object.entries(paths)) {
    if (path.startsWith('x-')) continue;
    try {
      const item = follow(given);
      if (!isObject(item)) continue;
      for (const method of methods)
        if (item[method] !== undefined) yield { item, path, method, operation: item[method] };
    } catch (error) {
      if (!(error instanceof OmittedOperationError)) throw error;
      yield { operation: path, reason: error.message };
    }
  }
}

export function requireCallable({ method, operation }: ListedOperation): {
  method: Operation['method'];
  operation: Json;
} {
  const { success, data } = Operation.shape.method.safeParse(method.toUpperCase());
  if (!success) throw new OmittedOperationError(`Roster does not call ${method.toUpperCase()}`);
  if (!isObject(operation)) throw new OmittedOperationError('it cannot be read');
  return { method: data, operation };
}

export const keyOf = ({ method, path }: Pick<ListedOperation, 'method' | 'path'>) => `${method.toUpperCase()} ${path}`;

/** An operation as users choose it. */
function described({ method, path, operation }: ListedOperation): DescribedOperation {
  const { summary, operationId, tags } = isObject(operation) ? operation : {};
  const names = Array.isArray(tags) ? tags.slice(0, maxTags) : [];
  return {
    operation: sanitizeText(keyOf({ method, path })),
    summary: cutTo(tidyName(textIn(summary) || textIn(operationId)), titleLimit),
    tags: names.flatMap((tag) => cutTo(tidyName(textIn(tag)), tagLimit) || []),
  };
}

/** Operations that can be chosen, in the order of the description. */
export function createOperationList() {
  const operations: DescribedOperation[] = [];
  return {
    operations,
    note(one: ListedOperation) {
      if (operations.length >= operationsListed || one.path.length > pathLimit) return;
      if (Operation.shape.method.safeParse(one.method.toUpperCase()).success) operations.push(described(one));
    },
  };
}
