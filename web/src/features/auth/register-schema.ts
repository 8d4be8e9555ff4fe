import { zodResolver } from '@hookform/resolvers/zod';
import { Registration } from '@roster/contracts/auth';
import { z } from 'zod';

const RegisterFields = z
  .object({ ...Registration.shape, setupCode: z.string().trim().max(100), confirmation: z.string() })
  .refine((fields) => fields.password === fields.confirmation, {
    path: ['confirmation'],
    message: 'Passwords do not match!',
    // Checked even while another field is invalid, so that both can be fixed at once.
    when: () => true,
  });

export type RegisterValues = z.input<typeof RegisterFields>;
export const registerResolver = zodResolver(RegisterFields);
