import type { DecidedConfinement } from "../../contract/call.ts";
import type { Confinement, ResourceLimits } from "../../contract/confinement.ts";
import type { Environment, ProcessStartOptions, RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { callChanged } from "../../engine/approvals/refusals.ts";
import { overrideEnvironment } from "../../lib/override-environment.ts";
import { declaredWrites } from "../declared-writes.ts";
import type { Stage } from "../stage.ts";

/**
 * Confines all programs that the tool starts, as the policy decided. A tool that declares no programs cannot start any,
 * and it can write only what it declares.
 */
export const confineCommands: Stage = (call, next) => {
  const { confinement, environment, tool, caller } = call;
  const start: Environment["start"] = async (program, given) => {
    const options = { ...given, caller };
    // "ours" is a built-in program with fixed arguments.
    if (options.confinement === "ours") return environment.start(program, options);
    if (confinement === undefined)
      throw new ToolError("denied", `${tool.canonical ?? tool.name} starts a program without declaring it`, {
        hint: 'Name the command in `accesses` ({ kind: "execute", command }), or give the tool the risk "execute".',
      });
    return startConfined(environment, confinement, program, options);
  };
  // The tool's own connections follow the same decision; `unconfined` applies only to commands.
  const mayConnect = confinement?.mayConnect ?? (() => false);
  const exchange: Environment["exchange"] = (request) => environment.exchange!({ ...request, mayConnect });
  const limited = { ...declaredWrites(call), start, exchange, confinement };
  return next({ ...call, environment: overrideEnvironment(environment, limited) });
};

async function startConfined(
  environment: Environment,
  { level, ...confinement }: DecidedConfinement,
  program: string,
  options: ProcessStartOptions,
): Promise<RunningProcess> {
  if (level !== undefined && !confinement.unconfined) {
    const now = (await environment.sandbox?.())?.level ?? "none";
    if (now !== level) throw callChanged();
  }
  const own = options.confinement === "ours" ? undefined : options.confinement;
  return environment.start(program, { ...options, confinement: withOwn(confinement, own) });
}

/** Adds the tool's own files, which it may share with a program, to the decided confinement, and its own restrictions. */
function withOwn(decided: Confinement, own: Confinement = {}): Confinement {
  return {
    ...decided,
    readable: [...(decided.readable ?? []), ...(own.readable ?? [])],
    writable: [...(decided.writable ?? []), ...(own.writable ?? [])],
    ...(own.readsOnly && { readsOnly: true, writable: own.writable ?? [] }),
    ...(own.hosts?.length === 0 && { mayConnect: undefined, hosts: [] }),
    ...(own.limitsAtMost && { limitsAtMost: lowest(decided.limitsAtMost ?? {}, own.limitsAtMost) }),
  };
}

function lowest(
  one: Partial<ResourceLimits>,
  other: Partial<ResourceLimits>,
): NonNullable<Confinement["limitsAtMost"]> {
  const limits: { -readonly [Name in keyof ResourceLimits]?: number } = { ...one };
  for (const [name, value] of Object.entries(other) as [keyof ResourceLimits, number][])
    limits[name] = Math.min(limits[name] ?? Infinity, value);
  return limits;
}
