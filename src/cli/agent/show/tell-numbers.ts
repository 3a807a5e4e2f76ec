import { counted } from "../../../lib/counted.ts";
import type { Usage } from "../../../models/model.ts";

/** `12 400` */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, " ");
}

/** `0.4 s`, `21 s`, `2 min 5 s` */
export function tellTime(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return `${Math.max(0.1, seconds).toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `$0.04`, and more digits where that would say nothing. */
function tellCost(dollars: number): string {
  return `$${dollars === 0 || dollars >= 0.095 ? dollars.toFixed(2) : Number(dollars.toPrecision(2))}`;
}

/** `12 400 tokens read (9 000 cached), 800 written, $0.04, 6 calls, 21 s` */
export function tellUse({
  usage,
  cost,
  calls,
  milliseconds,
}: {
  readonly usage: Usage;
  readonly cost: number | null;
  readonly calls?: number | undefined;
  readonly milliseconds?: number | undefined;
}): string {
  const cached = usage.cached > 0 ? ` (${grouped(usage.cached)} cached)` : "";
  return [
    `${grouped(usage.input)} tokens read${cached}`,
    `${grouped(usage.output)} written`,
    ...(cost === null ? [] : [tellCost(cost)]),
    ...(calls === undefined ? [] : [counted(calls, "call")]),
    ...(milliseconds === undefined ? [] : [tellTime(milliseconds)]),
  ].join(", ");
}
