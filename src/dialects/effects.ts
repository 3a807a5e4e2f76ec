import type { ToolRisk } from "../contract/access.ts";
import type { AnyTool } from "../contract/tool.ts";

/** The expected effects of a tool's calls: its hints, or defaults by its risk. */
export interface ToolEffects {
  /** A name for users. */
  readonly title: string;
  /** Whether no call changes anything. */
  readonly readOnly: boolean;
  /** Whether a call may replace or remove something; false for tools that only add. */
  readonly destructive: boolean;
  /** Whether repeating a call has no further effect. */
  readonly idempotent: boolean;
  /** Whether a call may access more than the workspace. */
  readonly openWorld: boolean;
  /** Whether the data of a result holds everything that its text shows. */
  readonly structured: boolean;
}

type Hinted = Pick<AnyTool, "name" | "canonical" | "risk" | "hints">;

export function effectsOf({ name, canonical = name, risk, hints = {} }: Hinted): ToolEffects {
  const readOnly = hints.readOnly ?? risk === "read";
  return {
    title: hints.title ?? titleOf(canonical),
    readOnly,
    destructive: hints.destructive ?? !readOnly,
    idempotent: hints.idempotent ?? readOnly,
    openWorld: hints.openWorld ?? openWorldRisks.includes(risk),
    structured: hints.structured ?? false,
  };
}

/**
 * Whether a read-only caller may use a tool: its calls change nothing, also not the processes, transactions or checkpoints of
 * other callers. Tools that make calls may be used, because each of their calls is checked by itself.
 */
export function isForReaders(tool: Hinted & { readonly effects?: ToolEffects }): boolean {
  const { name, canonical = name, risk, effects = effectsOf(tool) } = tool;
  return risk === "read" && (effects.readOnly || /^(?:tools|agent)\./.test(canonical));
}

/** Returns the hints that hold for all tools that a dialect tool can resolve to. */
export function hintsOfAll(tools: readonly Hinted[]): NonNullable<AnyTool["hints"]> {
  const effects = tools.map(effectsOf);
  const [first] = effects;
  return {
    title: first!.title,
    readOnly: effects.every(({ readOnly }) => readOnly),
    destructive: effects.some(({ destructive }) => destructive),
    idempotent: effects.every(({ idempotent }) => idempotent),
    openWorld: effects.some(({ openWorld }) => openWorld),
    structured: effects.every(({ structured }) => structured),
  };
}

/** A command may access anything that its sandbox allows. */
const openWorldRisks: readonly ToolRisk[] = ["execute", "network"];

/** Turns "file.read" into "File: read". */
function titleOf(canonical: string): string {
  const [family = "", ...verb] = canonical.replaceAll("_", " ").split(".");
  const title = verb.length === 0 ? family : `${family}: ${verb.join(" ")}`;
  return title.slice(0, 1).toUpperCase() + title.slice(1);
}
