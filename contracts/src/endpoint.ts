import { z } from 'zod';

/** Who may make a call. `editor` is anyone but a Viewer. */
export type Access = 'public' | 'user' | 'editor' | 'admin';

/** The named limits, whose numbers are in server/src/http/limits/rate-limits.ts; a call without one counts against `default`. */
export type Rate =
  | 'default'
  | 'signIn'
  | 'register'
  | 'resetRequest'
  | 'resetAttempt'
  | 'keyUse'
  | 'messages'
  | 'uploads'
  | 'jobs';

/** A part of a call (path, query or body) that carries nothing. */
export const Empty = z.strictObject({});

/** One call, described once: the server answers it, the browser makes it, the API description lists it. */
export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `:name` parts are filled from `params`. */
  path: `/api/${string}`;
  access: Access;
  rate: Rate;
  /** One sentence for the API description. */
  summary: string;
  params: Params;
  query: Query;
  body: Body;
  output: Output;
  status: 200 | 201 | 202 | 204;
  /** `events`: server-sent events of the type `output`; `bytes`: a download, `output` does not apply. */
  respondsWith: 'json' | 'events' | 'bytes';
  /** `multipart`: a form of the texts in `body` and exactly one file, in the part `file`. */
  accepts: 'json' | 'multipart';
  /** Bytes; the server's general limit for JSON (256 KiB) unless stated. For `multipart` those of the file. */
  bodyLimit?: number;
};

type Description<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType> = Pick<
  Endpoint,
  'method' | 'path' | 'access' | 'summary'
> &
  Partial<Pick<Endpoint, 'rate' | 'status' | 'respondsWith' | 'accepts' | 'bodyLimit'>> & {
    params?: P;
    query?: Q;
    body?: B;
    output: O;
  };

/** Completes a description with the defaults: no parameters, no body, status 200, JSON. */
export function endpoint<
  O extends z.ZodType,
  P extends z.ZodType = typeof Empty,
  Q extends z.ZodType = typeof Empty,
  B extends z.ZodType = typeof Empty,
>(description: Description<P, Q, B, O>): Endpoint<P, Q, B, O>;
export function endpoint(description: Description<z.ZodType, z.ZodType, z.ZodType, z.ZodType>): Endpoint {
  return {
    rate: 'default',
    status: 200,
    respondsWith: 'json',
    accepts: 'json',
    params: Empty,
    query: Empty,
    body: Empty,
    ...description,
  };
}

/** The answer of a call that has nothing to say (204). */
export const NoContent = z.void();

const digits = /^(0|[1-9]\d{0,14})$/;

/**
 * A whole number in a path or query, where everything arrives as text: decimal digits and nothing else, so that no other
 * text (0x1e, 1e1, +30, 030, ' 30') can mean a number that its sender did not write.
 */
export const wholeNumber = (least: number, most: number) =>
  z
    .preprocess(
      (written: number | string) => (typeof written === 'string' && digits.test(written) ? Number(written) : written),
      z.number().int().min(least).max(most),
    )
    .meta({ type: 'integer', minimum: least, maximum: most });

/** As far as the integers of PostgreSQL reach. */
export const largestId = 2_147_483_647;

/** An integer id in a path or query. */
export const PathId = wholeNumber(1, largestId);

/** An integer id in a JSON body or answer. */
export const Id = z.number().int().min(1).max(largestId);

/** Made by the client; the same one again gives the first answer again. */
export const ClientId = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, 'clientId must be 8 to 64 letters, digits, - or _');

/** ISO 8601, UTC. */
export const Time = z.string();
