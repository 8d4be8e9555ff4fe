import type { Role } from '@roster/contracts/auth';
import type { FastifyRequest } from 'fastify';

/** Who makes a call. Read anew for every request: nothing about a person is remembered in a session. */
export type Actor = { userId: number; role: Role; sessionId: string };

/** Finds who a session token belongs to. */
export type FindActor = (token: string, request: FastifyRequest) => Promise<Actor | null>;
