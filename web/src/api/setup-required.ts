/** True in the query cache once a call was refused until the account has a second factor. */
export const setupRequiredKey = ['setup-required'] as const;
