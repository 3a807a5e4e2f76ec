import type { ResourceLimits } from "../contract/confinement.ts";

type Units = Readonly<Record<string, number>>;

const seconds: Units = { "": 1, s: 1, m: 60, h: 3600 };
const bytes: Units = { "": 1, b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3, tb: 1024 ** 4 };
const pieces: Units = { "": 1 };

export interface LimitSyntax {
  readonly limit: keyof ResourceLimits;
  /** The factor of each unit, in lower case, from small to large. */
  readonly units: Units;
  readonly example: string;
}

/** The syntax of limits in rules: `limit memory 8GB`. */
export const limitSyntax = {
  cpu: { limit: "cpuSeconds", units: seconds, example: "cpu 2h" },
  memory: { limit: "memoryBytes", units: bytes, example: "memory 8GB" },
  processes: { limit: "processes", units: pieces, example: "processes 2000" },
  file: { limit: "fileBytes", units: bytes, example: "file 10GB" },
  output: { limit: "outputBytes", units: bytes, example: "output 1GB" },
} as const satisfies Record<string, LimitSyntax>;

export type LimitName = keyof typeof limitSyntax;

export const limitNames: readonly LimitName[] = Object.keys(limitSyntax) as LimitName[];

/** Returns a limit as rules write it: `memory 8GB`. */
export function formatLimit(limit: keyof ResourceLimits, amount: number): string {
  const name = limitNames.find((known) => limitSyntax[known].limit === limit)!;
  const units = limitSyntax[name].units;
  const [unit, factor] = Object.entries(units).findLast(([, size]) => amount % size === 0)!;
  return `${name} ${amount / factor}${units === seconds ? unit : unit.toUpperCase()}`;
}
