import type { z } from "zod";
import { risks, type ToolRisk } from "../contract/access.ts";
import type { AnyTool, OutputLimits } from "../contract/tool.ts";
import { loadOnce } from "../lib/async/load-once.ts";
import { type CanonicalName, catalog } from "../tools/catalog.ts";
import type { DialectTool, OfferedTool } from "./dialect.ts";
import { hintsOfAll } from "./effects.ts";
import {
  type Answering,
  answerWith,
  checkMade,
  type DataOf,
  type InputOf,
  needsOf,
  retitle,
} from "./rename.ts";
import type { Describing } from "./zod-mini.ts";

/** A tool whose arguments differ in shape from the canonical ones, or that combines several canonical tools. */
export interface Reshaping<Name extends CanonicalName, Given> {
  readonly name: string;
  readonly description: string;
  /** The arguments in the dialect. A function, because an unused dialect must cost nothing. */
  readonly input: (z: Describing) => z.core.$ZodType<Given>;
  /** Returns the canonical call for these arguments. Pure. */
  readonly resolve: (given: Given) => CanonicalCall<Name>;
  /** The output limits; a function when the caller may lower them. */
  readonly limits?: OutputLimits | ((given: Given) => OutputLimits) | undefined;
  readonly timeoutMs?: number | undefined;
  readonly native?: OfferedTool["native"] | undefined;
  /** Canonical field to dialect field, for the fields that hints name: `{ timeout_ms: "timeout_secs" }`. */
  readonly fields?: OfferedTool["fields"] | undefined;
  readonly answer?: Answering<DataOf<Name>, Given> | undefined;
}

type CanonicalCall<Name extends CanonicalName> = {
  [Each in Name]: readonly [tool: Each, input: InputOf<Each>];
}[Name];

/** Makes a dialect tool that `rename` cannot derive. `canonicals` are the tools it can resolve to, the usual one first. */
export function reshapeTool<const Names extends readonly [CanonicalName, ...CanonicalName[]], Given>(
  canonicals: Names,
  reshaping: Reshaping<Names[number], Given>,
): DialectTool {
  const { name, description, resolve, answer, native, fields, limits, timeoutMs } = reshaping;
  const [canonical, ...also] = canonicals;
  for (const each of canonicals) checkMade(each, reshaping, reshapingKeys);
  const limitsOf = typeof limits === "function" ? limits : undefined;
  const titles = { name, description, limits: typeof limits === "object" ? limits : undefined, timeoutMs };
  // Every session offers the same tools.
  const { load } = loadOnce(async (): Promise<OfferedTool> => {
    const { zod } = await import("./zod-mini.ts");
    const tools = new Map<CanonicalName, AnyTool>();
    for (const each of canonicals) tools.set(each, retitle(await catalog[each](), titles));
    return {
      name,
      canonical,
      also,
      description,
      risk: highestRisk([...tools.values()]),
      hints: hintsOfAll([...tools.values()]),
      input: reshaping.input(zod),
      native,
      fields,
      resolve: (given) => {
        const [resolved, input] = resolve(given as Given);
        const tool = tools.get(resolved)!;
        const limited = limitsOf ? { ...tool, limits: limitsOf(given as Given) } : tool;
        return answerWith({ tool: limited, input }, answer, given as Given);
      },
    };
  });
  return { name, canonical, also, ...needsOf(canonical), load };
}

const reshapingKeys: Readonly<Record<keyof Reshaping<CanonicalName, unknown>, true>> = {
  name: true,
  description: true,
  input: true,
  resolve: true,
  limits: true,
  timeoutMs: true,
  native: true,
  fields: true,
  answer: true,
};

function highestRisk(tools: readonly AnyTool[]): ToolRisk {
  return risks[Math.max(...tools.map(({ risk }) => risks.indexOf(risk)))]!;
}
