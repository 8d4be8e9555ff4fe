import { Email, NewPassword } from '@roster/contracts/auth';
import { NewUser, UserChanges } from '@roster/contracts/users';
import { z } from 'zod';

/** As typed; the server makes it canonical. One message for all that can be wrong with it, as specified. */
const TypedEmail = z.string().refine((typed) => Email.safeParse(typed).success, 'Invalid email address');

/** A new account. An empty password means that its owner gets a link to set one. */
export const AddForm = z.object({
  name: NewUser.shape.name,
  email: TypedEmail,
  role: NewUser.shape.role,
  status: NewUser.shape.status.unwrap(),
  password: z.literal('').or(NewPassword),
});

/** An account that exists. One without a name may stay so. */
export const editForm = (hadName: boolean) =>
  z.object({
    name: hadName ? NewUser.shape.name : z.literal('').or(UserChanges.shape.name.unwrap()),
    email: TypedEmail,
    role: NewUser.shape.role,
    status: NewUser.shape.status.unwrap(),
    /** Not asked for. */
    password: z.string(),
  });

export type UserValues = z.input<typeof AddForm>;
