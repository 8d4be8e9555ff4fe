import { zodResolver } from '@hookform/resolvers/zod';
import { Credentials } from '@roster/contracts/auth';
import type { z } from 'zod';

export type LoginValues = z.input<typeof Credentials>;
export const loginResolver = zodResolver(Credentials);
