import { z } from 'zod';

const named: Record<string, string> = {
  apiKey: 'API Key',
  q: 'Search',
  ids: 'List of ids',
  order: 'Order',
  '*': 'Model',
};

/** For example, `trainingFileId` becomes 'Training file'. */
function label(path: readonly PropertyKey[] | undefined): string {
  const name = path?.findLast((part) => typeof part === 'string');
  if (name === undefined) return 'What was sent';
  if (named[name] !== undefined) return named[name];
  const words = name
    .replace(/(?<=.)Ids?$/, '')
    .replace(/(?<=[a-z])([A-Z])/g, ' $1')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/\b(?:usd|url|api|json|pdf|id)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object with named fields',
};

/** Values in a URL are text: if one is not a valid number, states everything that is required of it at once. */
function kindOf({ expected, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  if (!(inst instanceof z.ZodNumber) || !inst.isInt) return kinds[expected] ?? `of the type ${expected}`;
  const { minValue: least, maxValue: most } = inst;
  const isBounded = least !== Number.MIN_SAFE_INTEGER && most !== Number.MAX_SAFE_INTEGER;
  return isBounded ? `a whole number from ${least} to ${most}` : 'a whole number';
}

const counted: Record<string, string> = { string: ' characters', array: ' entries' };

function bound(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig> | z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>) {
  const isMost = issue.code === 'too_big';
  const limit = String(isMost ? issue.maximum : issue.minimum);
  const of = counted[issue.origin] ?? '';
  if (isMost) return of ? `cannot exceed ${limit}${of}` : `must be at most ${limit}`;
  if (limit === '1' && issue.origin === 'array') return 'must have at least one entry';
  if (of) return limit === '1' ? 'is required' : `must have at least ${limit}${of}`;
  return issue.inclusive === false ? `must be more than ${limit}` : `must be at least ${limit}`;
}

/**
 * The message for a field whose schema has none of its own. Passed to every parse of input, so that nobody reads the
 * schema library’s messages.
 */
export function validationMessage(issue: z.core.$ZodRawIssue): string {
  const field = label(issue.path);
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return `${field} is required`;
      return `${field} must be ${kindOf(issue)}`;
    case 'invalid_value':
      if (issue.input === undefined) return `${field} is required`;
      return `${field} must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_big':
    case 'too_small':
      return `${field} ${bound(issue)}`;
    case 'unrecognized_keys':
      return 'Unknown field';
    case 'invalid_union':
      return issue.input === undefined ? `${field} is required` : `${field} has an unsupported format`;
    default:
      return `${field} is not valid`;
  }
}
