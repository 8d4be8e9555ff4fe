import { passwordMinimum, passwordRecommended } from '@roster/contracts/auth';

/** What stands below every field in which a password is chosen. */
export const passwordHint = `At least ${passwordMinimum} characters; ${passwordRecommended} or more are recommended.`;
