const day = (offset: number) => new Date(Date.now() + offset * 24 * 60 * 60_000).toISOString().slice(0, 10);

/** A range for Analytics that covers a test even if it runs past midnight. */
export const aroundToday = () => `from=${day(-180)}&to=${day(180)}`;
