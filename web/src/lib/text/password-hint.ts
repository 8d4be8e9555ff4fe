import { passwordMinimum, passwordRecommended } from '@roster/contracts/auth';

/** Shown below every field in which a new password is chosen. */
export const passwordHint = `At least ${passwordMinimum} characters; ${passwordRecommended} or more are recommended.`;
