import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Router } from '#server/http/app-router/router';
import type { PublicApiRouter } from '#server/http/public-api/router';
import type { JobHandler } from '#server/jobs/define';
import type { ScheduledTask } from '#server/lib/scheduled-task';

/**
 * What a feature gives to the application, which goes through all of them: its own repositories and services stay with
 * it. What other features need of it stands beside these, and is handed to them by compose.ts.
 */
export type Feature = {
  routes?: (router: Router) => void;
  /** What programs call with an access token, under /v1. */
  apiRoutes?: (door: PublicApiRouter) => void;
  /** How its background jobs are done. */
  jobs?: readonly JobHandler[];
  upkeep?: readonly ScheduledTask[];
  /** Finishes or ends what a crash has left, before anybody is let in. */
  recover?: () => Promise<void>;
  /** What waited for a provider key goes on. */
  keySaved?: (userId: number) => Promise<void>;
  exportParts?: readonly ExportPart[];
  removalPart?: AccountRemovalPart;
  /** Removes what Roster has made at the provider for a user. */
  removeAtProvider?: RemoveAtProvider;
  /** Lets what is under way end, and begins nothing more. */
  close?: () => Promise<void>;
};

/** A file of the archive; its content is asked for when the ones before have been read. */
export type ExportEntry = { name: string; content: AsyncIterable<string | Buffer> | Iterable<string | Buffer> };

/** What a feature adds to the archive of all of a user's data. */
export type ExportPart = {
  /** Lines for README.txt: each file with what it holds. */
  description: string[];
  /** Asked for one after the other, each read to its end before the next: only a batch of rows is in memory. */
  entries: (userId: number) => AsyncIterable<ExportEntry>;
};

/** What a feature does when an account is removed. The rows that name the account as their owner go by themselves. */
export type AccountRemovalPart = {
  /** Ends the user's work that is under way, in all processes, and refuses more of it until `next` is done. */
  atRest: <T>(userId: number, next: () => Promise<T>) => Promise<T>;
  /**
   * In the transaction, which holds the user: removes what does not go by itself. false: other work has begun since, and
   * the transaction is not to go on.
   */
  remove: (trx: Kysely<Database>, userId: number) => Promise<boolean>;
};

/** What could not be removed at the provider, with its name for one and for several. */
export type LeftAtProvider = { left: number; one: string; many: string };
export type RemoveAtProvider = (userId: number) => Promise<LeftAtProvider[]>;
