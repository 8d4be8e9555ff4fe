import type { ConnectionOffer, ConnectionOfferChange, NewConnectionOffer } from '@roster/contracts/connections/offers';
import type { Kysely } from 'kysely';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import { roundUsd } from '#server/lib/usd';
import type { ConnectionOpener } from '#server/provider/connections/open';
import { presetOf } from '#server/provider/connections/presets';
import { monthOf } from '#server/provider/connections/spend-repository';
import type { Actor } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import { checkAbilities } from './check.ts';
import { invalid, notFound } from './errors.ts';
import { addressOf, connectionKeys, type KeyDependencies, replacesSecret } from './keys.ts';
import { type OfferRow, offerRepository } from './offer-repository.ts';
import type { ConnectionRefusals } from './refusals.ts';
import { changedColumns, nameKeyOf } from './repository.ts';
import { toConnection } from './to-connection.ts';

const offersPerInstallation = 50;

type Dependencies = KeyDependencies & {
  /** Opens an offered connection for an administrator's check, also if it is offered to others only. */
  openOffered: ConnectionOpener['openOffered'];
  refusals: ConnectionRefusals;
};

const thisMonth = () => monthOf(new Date().toISOString());

function refuseTaken(rows: readonly OfferRow[], name: string, own?: number) {
  const key = nameKeyOf(name);
  if (!rows.some((row) => row.name_key === key && row.id !== own)) return;
  const message = `A connection named ${name} is already offered.`;
  throw new AppError('conflict', message, { fields: { name: message } });
}

function refuseTooMany(rows: readonly OfferRow[]) {
  if (rows.length >= offersPerInstallation)
    throw new AppError('conflict', `Administrators can offer ${offersPerInstallation} connections. Remove one first.`);
}

/** The changed columns of the terms. */
const termsOf = ({ audience, monthlyUsdPerPerson, monthlyUsdTotal }: ConnectionOfferChange) => ({
  ...(audience !== undefined && { audience }),
  ...(monthlyUsdPerPerson !== undefined && { monthly_usd_per_person: monthlyUsdPerPerson }),
  ...(monthlyUsdTotal !== undefined && { monthly_usd_total: monthlyUsdTotal }),
});

async function shown(db: Kysely<Database>, rows: OfferRow[]): Promise<ConnectionOffer[]> {
  const offers = offerRepository(db);
  const people = await offers.people(rows.map(({ id }) => id));
  const spent = await offers.spent(thisMonth());
  return rows.map((row) => ({
    ...toConnection(row),
    audience: row.audience,
    people: row.audience === 'chosen' ? (people.get(row.id) ?? []) : [],
    monthlyUsdPerPerson: row.monthly_usd_per_person,
    monthlyUsdTotal: row.monthly_usd_total,
    spentUsd: roundUsd(spent.get(row.id) ?? 0),
  }));
}

async function found(db: Kysely<Database>, id: number): Promise<ConnectionOffer> {
  const row = await offerRepository(db).find(id);
  const [offer] = row ? await shown(db, [row]) : [];
  if (!offer) throw notFound();
  return offer;
}

type OfferEvent = {
  actor: Actor;
  event: 'connection_offered' | 'connection_offer_changed' | 'connection_offer_removed';
  name: string;
  visitor: Visitor;
};

const record = (trx: Kysely<Database>, { actor: { userId }, event, name: detail, visitor }: OfferEvent) =>
  securityEventRepository(trx).record({ userId, event, by: 'self', visitor, detail });

function offerWrites(dependencies: KeyDependencies) {
  const { db, addresses } = dependencies;
  const { newSecrets, secretColumns } = connectionKeys(dependencies);

  async function create(actor: Actor, draft: NewConnectionOffer, visitor: Visitor): Promise<ConnectionOffer> {
    const { preset, name, key, api, firstTokenSeconds, audience, people } = draft;
    const before = await offerRepository(db).list();
    refuseTooMany(before);
    refuseTaken(before, name);
    const baseUrl = await addressOf(addresses, draft);
    if (key === undefined && presetOf(preset).key === 'needed') throw invalid('key', 'Enter a key');
    const secrets = await newSecrets(null, { preset, name, base_url: baseUrl }, draft);
    return db.transaction().execute(async (trx) => {
      await lockAccounts(trx);
      await actor.recheckAccess(trx);
      const offers = offerRepository(trx);
      const rows = await offers.list();
      refuseTooMany(rows);
      refuseTaken(rows, name);
      const id = await offers.insert(
        {
          ...{ user_id: null, preset, name, name_key: nameKeyOf(name), base_url: baseUrl, ...secrets },
          ...{ api, first_token_seconds: firstTokenSeconds, position: 0, created_at: new Date().toISOString() },
        },
        {
          ...{ audience, created_by: actor.userId },
          ...{ monthly_usd_per_person: draft.monthlyUsdPerPerson, monthly_usd_total: draft.monthlyUsdTotal },
        },
      );
      await offers.setPeople(id, people);
      await record(trx, { actor, event: 'connection_offered', name, visitor });
      return found(trx, id);
    });
  }

  async function change(actor: Actor, id: number, changes: ConnectionOfferChange, visitor: Visitor) {
    const { name, people } = changes;
    const row = await offerRepository(db).find(id);
    if (!row) throw notFound();
    const columns = { ...(await secretColumns(row, changes)), ...changedColumns(changes) };
    return db.transaction().execute(async (trx) => {
      await lockAccounts(trx);
      await actor.recheckAccess(trx);
      const offers = offerRepository(trx);
      const rows = await offers.list();
      if (!rows.some((one) => one.id === id)) throw notFound();
      if (name !== undefined) refuseTaken(rows, name, id);
      await offers.update(id, columns, termsOf(changes));
      if (people !== undefined) await offers.setPeople(id, people);
      await record(trx, { actor, event: 'connection_offer_changed', name: name ?? row.name, visitor });
      return found(trx, id);
    });
  }

  async function remove(actor: Actor, id: number, visitor: Visitor) {
    await db.transaction().execute(async (trx) => {
      await actor.recheckAccess(trx);
      const row = await offerRepository(trx).find(id);
      if (!row || !(await offerRepository(trx).delete(id))) throw notFound();
      await record(trx, { actor, event: 'connection_offer_removed', name: row.name, visitor });
    });
  }

  return { create, change, remove };
}

const roundSum = <T extends { costUsd: number }>(sum: T): T => ({ ...sum, costUsd: roundUsd(sum.costUsd) });

const peopleLimit = 500;
const modelLimit = 200;

/** Connections that administrators offer to everybody or to chosen people. */
export function offerService(dependencies: Dependencies) {
  const { db, addresses, openOffered, refusals } = dependencies;
  const offers = offerRepository(db);

  async function check(id: number, model: string | undefined): Promise<ConnectionOffer> {
    const row = await offers.find(id);
    if (!row) throw notFound();
    const refusal = await addresses.refusalOf(row.preset, row.base_url);
    if (refusal !== null) throw new AppError('not_allowed', refusal);
    const { checks, notice } = await checkAbilities(await openOffered(id), presetOf(row.preset), model);
    const at = new Date().toISOString();
    await offers.update(id, { checks: JSON.stringify(checks), checked_at: at, notice });
    return found(db, id);
  }

  return {
    list: async () => ({ offers: await shown(db, await offers.list()) }),
    /** True if the change replaces something secret that is stored. */
    async replacesSecret(id: number, changes: ConnectionOfferChange): Promise<boolean> {
      return replacesSecret(await offers.find(id), changes);
    },
    ...offerWrites(dependencies),
    check,
    async uses(id: number) {
      if (!(await offers.find(id))) throw notFound();
      return offers.uses(id, thisMonth());
    },
    async refusals(id: number) {
      await found(db, id);
      return { refusals: await refusals.list(id) };
    },
    async askAgain(id: number) {
      await found(db, id);
      await refusals.askAgain(id);
    },
    async spending(id: number, month = thisMonth()) {
      if (!(await offers.find(id))) throw notFound();
      const people = await offers.byPerson(id, month, peopleLimit);
      return {
        month,
        total: roundSum(await offers.total(id, month)),
        people: people.map(({ id: userId, name, email, ...sums }) => ({
          person: userId === null || email === null ? null : { id: userId, name, email },
          ...roundSum(sums),
        })),
        models: (await offers.byModel(id, month, modelLimit)).map(roundSum),
      };
    },
  };
}

export type OfferService = ReturnType<typeof offerService>;
