import { Email, NewPassword } from '@roster/contracts/auth';
import { NewUser, UserChanges } from '@roster/contracts/users';
import { z } from 'zod';

/** As typed; the server normalizes it. One message for every error, as specified. */
const TypedEmail = z.string().refine((typed) => Email.safeParse(typed).success, 'Invalid email address');

/** A new account. With an empty password its owner gets a link to set one. */
export const AddForm = z.object({
  name: NewUser.shape.name,
  email: TypedEmail,
  role: NewUser.shape.role,
  status: NewUser.shape.status.unwrap(),
  password: z.literal('').or(NewPassword),
});

/** An existing account. One without a name may keep none. */
export const editForm = (hadName: boolean) =>
  z.object({
    name: hadName ? NewUser.shape.name : z.literal('').or(UserChanges.shape.name.unwrap()),
    email: TypedEmail,
    role: NewUser.shape.role,
    status: NewUser.shape.status.unwrap(),
    /** Unused when editing. */
    password: z.string(),
  });

export type UserValues = z.input<typeof AddForm>;
