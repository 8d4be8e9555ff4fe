const day = (offset: number) => new Date(Date.now() + offset * 24 * 60 * 60_000).toISOString().slice(0, 10);

/** A range for Analytics that holds whatever a test does, also where it runs over midnight. */
export const aroundToday = () => `from=${day(-180)}&to=${day(180)}`;
