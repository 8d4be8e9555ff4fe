import { isBlank } from '@roster/contracts/text/blank';
import { codePointLength } from '@roster/contracts/text/length';

/** What is wrong with the name of a dataset, in the words of its contract. */
export function nameProblem(name: string): string | undefined {
  if (isBlank(name)) return 'Name is required';
  return codePointLength(name) > 100 ? 'Name cannot exceed 100 characters' : undefined;
}
