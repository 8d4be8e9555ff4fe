import { z } from 'zod';

/** How a second step can be taken. */
export const secondFactorWays = ['totp', 'passkey', 'recovery'] as const;
export const SecondFactorWay = z.enum(secondFactorWays);
export type SecondFactorWay = z.output<typeof SecondFactorWay>;
