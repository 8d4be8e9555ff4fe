import { z } from 'zod';
import type { TokenPermission } from '../api-tokens.ts';
import { Empty, type Rate } from '../endpoint.ts';

/** A call under /v1, made by API clients with an access token. */
export type ApiEndpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> = {
  method: 'GET' | 'POST' | 'DELETE';
  path: `/v1/${string}`;
  /** The permission that the token needs; with a list, either is enough. */
  right: TokenPermission | readonly TokenPermission[];
  summary: string;
  params: Params;
  query: Query;
  body: Body;
  output: Output;
  /** `multipart`: a form with the texts in `body` and exactly one file, in the part `file`. */
  accepts: 'json' | 'multipart';
  /** Bytes of JSON; for `multipart`, of the file. */
  bodyLimit: number;
  /** A limit per user besides the token’s calls, shared with the pages. */
  rate?: Rate;
  /** Its texts are stored, so they must be storable in a database. */
  keepsTexts: boolean;
  /** Requires the header `OpenAI-Beta: assistants=v2`. */
  isBeta: boolean;
};

type Description<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType> = Pick<
  ApiEndpoint,
  'method' | 'path' | 'right' | 'summary'
> &
  Partial<Pick<ApiEndpoint, 'accepts' | 'bodyLimit' | 'rate' | 'keepsTexts' | 'isBeta'>> & {
    params?: P;
    query?: Q;
    body?: B;
    output: O;
  };

/** Completes a description with defaults: no parameters, no body, 256 KiB of JSON; texts are not stored; not beta. */
export function apiEndpoint<
  O extends z.ZodType,
  P extends z.ZodType = typeof Empty,
  Q extends z.ZodType = typeof Empty,
  B extends z.ZodType = typeof Empty,
>(description: Description<P, Q, B, O>): ApiEndpoint<P, Q, B, O>;
export function apiEndpoint(description: Description<z.ZodType, z.ZodType, z.ZodType, z.ZodType>): ApiEndpoint {
  return {
    params: Empty,
    query: Empty,
    body: Empty,
    accepts: 'json',
    bodyLimit: 256 * 1024,
    keepsTexts: false,
    isBeta: false,
    ...description,
  };
}

/** The body of a failed call under /v1, in the provider’s shape, which its clients know. */
export const ApiErrorBody = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});
export type ApiErrorBody = z.output<typeof ApiErrorBody>;
