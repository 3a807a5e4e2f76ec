import type { z } from "zod";

import { type Risk, risks } from "../contract/access.ts";
import type { AnyTool, OutputLimits } from "../contract/tool.ts";
import { type CanonicalName, catalog } from "../tools/catalog.ts";
import type { DialectTool, OfferedTool } from "./dialect.ts";
import { hintsOfAll } from "./effects.ts";
import { type Answering, answerWith, type DataOf, type InputOf, needsOf, retitle } from "./rename.ts";
import type { Describing } from "./zod-mini.ts";

/** A tool whose arguments truly differ from the canonical ones, or which is several canonical tools in one. */
export interface Reshaping<Name extends CanonicalName, Given> {
  readonly name: string;
  readonly summary: string;
  /** The arguments in the dialect; a function, so that a dialect that is not used costs nothing. */
  readonly input: (z: Describing) => z.core.$ZodType<Given>;
  /** The canonical call that they mean. Pure. */
  readonly means: (given: Given) => CanonicalCall<Name>;
  /** A function, where the caller may ask for less. */
  readonly limits?: OutputLimits | ((given: Given) => OutputLimits);
  readonly timeoutMs?: number;
  readonly native?: OfferedTool["native"];
  /** What it calls canonical fields that our hints may name: `{ timeout_ms: "timeout_secs" }`. */
  readonly fields?: OfferedTool["fields"];
  /** The answer in the dialect's words, from the canonical one. */
  readonly answer?: Answering<DataOf<Name>, Given>;
}

/** One of the canonical tools that it may mean, with its arguments. */
type CanonicalCall<Name extends CanonicalName> = {
  [Each in Name]: readonly [tool: Each, input: InputOf<Each>];
}[Name];

/** For shapes that `rename` cannot derive; the canonical tools that it may mean are named, the usual one first. */
export function reshape<const Names extends readonly [CanonicalName, ...CanonicalName[]], Given>(
  canonicals: Names,
  reshaping: Reshaping<Names[number], Given>,
): DialectTool {
  const { name, summary, means, answer, native, fields, limits, timeoutMs } = reshaping;
  const [canonical, ...also] = canonicals;
  const limitsOf = typeof limits === "function" ? limits : undefined;
  const titles = {
    name,
    summary,
    ...(typeof limits === "object" && { limits }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  return {
    name,
    canonical,
    also,
    ...needsOf(canonical),
    load: async () => {
      const { zod } = await import("./zod-mini.ts");
      const tools = new Map<CanonicalName, AnyTool>();
      for (const each of canonicals) tools.set(each, retitle(await catalog[each](), titles));
      return {
        name,
        canonical,
        also,
        summary,
        risk: mostOf([...tools.values()]),
        hints: hintsOfAll([...tools.values()]),
        input: reshaping.input(zod),
        ...(native && { native }),
        ...(fields && { fields }),
        means: (given) => {
          const [meant, input] = means(given as Given);
          const tool = tools.get(meant)!;
          const limited = limitsOf ? { ...tool, limits: limitsOf(given as Given) } : tool;
          return answerWith({ tool: limited, input }, answer, given as Given);
        },
      };
    },
  };
}

function mostOf(tools: readonly AnyTool[]): Risk {
  return risks[Math.max(...tools.map(({ risk }) => risks.indexOf(risk)))]!;
}
