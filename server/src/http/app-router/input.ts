import { validationMessage } from '@roster/contracts/text/validation-messages';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AppError } from '#server/lib/errors';

/** Parses all input with the contract. @throws the error that `refusal` makes of the issues */
export function readInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  endpoint: { params: P; query: Q; body: B },
  request: Pick<FastifyRequest, 'params' | 'query' | 'body'>,
  refusal: (issues: z.core.$ZodIssue[]) => AppError = invalidInput,
) {
  // A missing body counts as an empty object; the value `null` does not.
  const parts = { params: request.params, query: request.query, body: request.body === undefined ? {} : request.body };
  const params = endpoint.params.safeParse(parts.params, { error: validationMessage });
  const query = endpoint.query.safeParse(parts.query, { error: validationMessage });
  const body = endpoint.body.safeParse(parts.body, { error: validationMessage });
  if (params.success && query.success && body.success)
    return { params: params.data, query: query.data, body: body.data };
  if (body.error?.issues.some(isNotObject)) throw new AppError('invalid_input', 'Send a JSON object: {…}.');
  throw refusal([params, query, body].flatMap((part) => part.error?.issues ?? []));
}

const isNotObject = (issue: z.core.$ZodIssue) =>
  issue.code === 'invalid_type' && issue.expected === 'object' && issue.path.length === 0;

/** An error that names each invalid field once, with its first problem. */
export function invalidInput(issues: z.core.$ZodIssue[]): AppError {
  const fields = new Map<string, string>();
  for (const issue of issues) {
    const name = issue.code === 'unrecognized_keys' ? issue.keys.join(', ') : issue.path.join('.');
    if (!fields.has(name)) fields.set(name, issue.message);
  }
  const [first] = fields;
  const [name, problem] = first ?? ['', 'Invalid input'];
  const message = name !== '' && problem.startsWith('This field') ? `${name}: ${problem}` : problem;
  return new AppError('invalid_input', message, { fields: Object.fromEntries(fields) });
}
