/** The unique address, by the error of PostgreSQL or of SQLite. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === '23505') || error.message.includes('UNIQUE constraint failed: users.email'));
