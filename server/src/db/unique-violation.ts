/** True for a unique violation of the email address, in PostgreSQL's or SQLite's form. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === '23505') || error.message.includes('UNIQUE constraint failed: users.email'));
