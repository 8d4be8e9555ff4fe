import { formatMegabytes } from '#web/lib/text/format.ts';

const rememberedMs = 3000;

/** Measures transfer speed over the last few seconds. */
export function transferRate() {
  let samples: { at: number; sent: number }[] = [];
  return {
    /** @returns bytes per second; undefined if it is too early to say */
    measure(at: number, sent: number): number | undefined {
      samples = [...samples.filter((sample) => at - sample.at <= rememberedMs), { at, sent }];
      const first = samples[0];
      if (!first || at - first.at < 250) return undefined;
      return ((sent - first.sent) * 1000) / (at - first.at);
    },
  };
}

export const formatRate = (bytesPerSecond: number): string => `${formatMegabytes(bytesPerSecond)}/s`;

/** '8 s left', '2 min left' */
export function formatRemaining(bytes: number, bytesPerSecond: number): string {
  const seconds = Math.max(1, Math.ceil(bytes / bytesPerSecond));
  if (seconds < 60) return `${seconds} s left`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min left` : `${Math.ceil(minutes / 60)} h left`;
}
