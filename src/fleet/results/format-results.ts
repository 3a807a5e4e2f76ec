import type { PassAt, Rate } from "./statistics.ts";

export function formatDollars(amount: number | null): string {
  if (amount === null) return "unknown";
  const isFine = amount < 0.1 && Math.abs(amount * 100 - Math.round(amount * 100)) > 1e-9;
  return `$${amount.toFixed(isFine ? 4 : 2)}`;
}

/** `45 s`, `12 min`, `3 h 05 min` */
export function formatDuration(ms: number | null): string {
  if (ms === null) return "–";
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

function formatPercent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** `62 % (48–74 %)` */
export function formatRate({ share, low, high }: Rate): string {
  if (share === null) return "–";
  return `${formatPercent(share)} (${(low * 100).toFixed(0)}–${(high * 100).toFixed(0)} %)`;
}

/** `pass@3 88 % ± 7`: with the standard error in points. */
export function formatPass({ k, share, error }: PassAt): string {
  const spread = error === null ? "" : ` ± ${(error * 100).toFixed(0)}`;
  return `pass@${k} ${formatPercent(share)}${spread}`;
}
