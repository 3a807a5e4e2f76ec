import type { JudgedConfinement } from "../../contract/call.ts";
import type { Confinement } from "../../contract/confinement.ts";
import type { Environment, StartOptions } from "../../contract/environment.ts";
import { changedMeanwhile } from "../approvals/refusals.ts";
import type { Stage } from "../stage.ts";

/** Hands the tool an environment in which whatever it starts is confined as the guardian has decided. */
export const confineCommands: Stage = (call, next) => {
  const { confinement, environment } = call;
  if (confinement === undefined) return next(call);
  return next({ ...call, environment: confined(environment, confinement) });
};

function confined(environment: Environment, { level, ...confinement }: JudgedConfinement): Environment {
  const start = async (program: string, options: StartOptions) => {
    // A program of ours, with words of ours.
    if (options.confinement === "ours") return environment.start(program, options);
    if (level !== undefined && !confinement.unconfined) {
      const now = (await environment.sandbox?.())?.level ?? "none";
      if (now !== level) throw changedMeanwhile();
    }
    return environment.start(program, { ...options, confinement: withOwn(confinement, options.confinement) });
  };
  return new Proxy(environment, {
    get: (target, name) => {
      if (name === "start") return start;
      if (name === "confinement") return confinement;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Who starts a program may share files of his own with it; all else is decided. */
function withOwn(judged: Confinement, own: Confinement = {}): Confinement {
  const readable = [...(judged.readable ?? []), ...(own.readable ?? [])];
  const writable = [...(judged.writable ?? []), ...(own.writable ?? [])];
  return {
    ...judged,
    ...(readable.length > 0 && { readable }),
    ...(writable.length > 0 && { writable }),
  };
}
