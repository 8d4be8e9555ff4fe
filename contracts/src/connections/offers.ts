import { z } from 'zod';
import { endpoint, Id, NoContent, PathId } from '../endpoint.ts';
import { Connection, ConnectionChange, ConnectionRefusal, ConnectionUses, NewConnection } from './connections.ts';

const offerPeopleLimit = 500;

/** `chosen`: only the people that an administrator named. */
export const OfferAudience = z.enum(['everybody', 'chosen']);
export type OfferAudience = z.output<typeof OfferAudience>;

/** USD in a calendar month in UTC; null: no limit. */
const MonthlyUsd = z.number().min(0.01, 'Enter at least $0.01').max(1_000_000, 'This amount is too high').nullable();

const People = z.array(Id).max(offerPeopleLimit, `Choose at most ${offerPeopleLimit} people`);

export const OfferPerson = z.object({ id: Id, name: z.string().nullable(), email: z.string() });
export type OfferPerson = z.output<typeof OfferPerson>;

/** An offered connection as administrators see it. */
export const ConnectionOffer = Connection.extend({
  audience: OfferAudience,
  /** Empty for everybody. */
  people: z.array(OfferPerson),
  monthlyUsdPerPerson: z.number().nullable(),
  monthlyUsdTotal: z.number().nullable(),
  /** USD by all people together, this month. */
  spentUsd: z.number(),
});
export type ConnectionOffer = z.output<typeof ConnectionOffer>;

const Terms = z.strictObject({
  audience: OfferAudience,
  /** Ids of accounts. Only for `chosen`. */
  people: People,
  monthlyUsdPerPerson: MonthlyUsd,
  monthlyUsdTotal: MonthlyUsd,
});

export const NewConnectionOffer = NewConnection.extend({
  audience: Terms.shape.audience,
  people: People.default([]),
  monthlyUsdPerPerson: MonthlyUsd.default(null),
  monthlyUsdTotal: MonthlyUsd.default(null),
});
export type NewConnectionOffer = z.output<typeof NewConnectionOffer>;

/** The address stays: a key never goes to another one. */
export const ConnectionOfferChange = ConnectionChange.omit({ position: true }).extend(Terms.partial().shape);
export type ConnectionOfferChange = z.output<typeof ConnectionOfferChange>;

export const ConnectionOfferUses = ConnectionUses.extend({
  /** People who have asked it this month. */
  people: z.number().int(),
});
export type ConnectionOfferUses = z.output<typeof ConnectionOfferUses>;

const Month = z.string().regex(/^2[01]\d\d-(0[1-9]|1[0-2])$/, 'Enter a month such as 2026-12');

const Sum = { requests: z.number().int(), costUsd: z.number(), unpricedRequests: z.number().int() };

/** Sums only: never contents or titles. */
export const OfferSpending = z.object({
  month: z.string(),
  total: z.object(Sum),
  /** `person` null: accounts that were closed since. The highest cost first, at most 500. */
  people: z.array(z.object({ person: OfferPerson.nullable(), ...Sum })),
  /** The highest cost first, at most 200. */
  models: z.array(z.object({ model: z.string(), ...Sum })),
});
export type OfferSpending = z.output<typeof OfferSpending>;

const all = '/api/admin/connections';
const one = `${all}/:id`;
const byId = z.strictObject({ id: PathId });

export const connectionOffers = {
  list: endpoint({
    method: 'GET',
    path: all,
    access: 'admin',
    summary: 'Lists the connections that administrators offer, with their budgets and people. Never returns keys.',
    output: z.object({ offers: z.array(ConnectionOffer) }),
  }),
  create: endpoint({
    method: 'POST',
    path: all,
    access: 'admin',
    rate: 'keyUse',
    status: 201,
    summary: 'Offers a connection to everybody or to chosen people. A key that the provider refuses is not stored.',
    body: NewConnectionOffer,
    output: ConnectionOffer,
  }),
  change: endpoint({
    method: 'PATCH',
    path: one,
    access: 'admin',
    rate: 'keyUse',
    summary:
      'Renames or pauses an offered connection, replaces its key, or changes its people and budgets, from the next call on.',
    params: byId,
    body: ConnectionOfferChange,
    output: ConnectionOffer,
  }),
  check: endpoint({
    method: 'POST',
    path: `${one}/check`,
    access: 'admin',
    rate: 'keyUse',
    summary: 'Tries what the provider can do with short requests, which the provider may bill, and stores the results.',
    params: byId,
    body: z.strictObject({ model: z.string().max(200).optional() }),
    output: ConnectionOffer,
  }),
  uses: endpoint({
    method: 'GET',
    path: `${one}/uses`,
    access: 'admin',
    summary: 'Counts what uses an offered connection, to be shown before it is removed.',
    params: byId,
    output: ConnectionOfferUses,
  }),
  spending: endpoint({
    method: 'GET',
    path: `${one}/spending`,
    access: 'admin',
    summary:
      'Returns the cost of a month (UTC) by person and by model; without `month`, of the current one. Never returns contents.',
    params: byId,
    query: z.strictObject({ month: Month.optional() }),
    output: OfferSpending,
  }),
  refusals: endpoint({
    method: 'GET',
    path: `${one}/refusals`,
    access: 'admin',
    summary: 'Lists what the provider has refused recently and is therefore not sent, with the time of the next try.',
    params: byId,
    output: z.object({ refusals: z.array(ConnectionRefusal) }),
  }),
  askAgain: endpoint({
    method: 'POST',
    path: `${one}/ask-again`,
    access: 'admin',
    rate: 'keyUse',
    summary: 'Tries everything that the provider has refused again with the next calls of all people.',
    params: byId,
    status: 204,
    output: NoContent,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: one,
    access: 'admin',
    summary: 'Removes an offered connection with its key and its sums. Conversations stay readable.',
    params: byId,
    status: 204,
    output: NoContent,
  }),
};
