import type { DecidedConfinement } from "../../contract/call.ts";
import type { Confinement } from "../../contract/confinement.ts";
import type { Environment, RunningProcess, StartOptions } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { wrapEnvironment } from "../../lib/wrap-environment.ts";
import { callChanged } from "../approvals/refusals.ts";
import type { Stage } from "../stage.ts";

/**
 * Gives the tool an environment that confines everything it starts as the policy decided. A tool that has not declared that
 * it runs programs cannot start any.
 */
export const confineCommands: Stage = (call, next) => {
  const { confinement, environment, tool } = call;
  const start: Start =
    confinement === undefined
      ? () => Promise.reject(undeclared(tool.canonical ?? tool.name))
      : (program, options) => startConfined(environment, confinement, program, options);
  return next({ ...call, environment: startingBy(start, environment, confinement) });
};

type Start = Environment["start"];

function startingBy(
  start: Start,
  environment: Environment,
  judged: DecidedConfinement | undefined,
): Environment {
  const startUnlessOurs: Start = (program, options) =>
    // A program of ours, with words of ours.
    options.confinement === "ours" ? environment.start(program, options) : start(program, options);
  return wrapEnvironment(environment, {
    start: startUnlessOurs,
    exchange: exchangeJudged(environment, judged),
    confinement: judged,
  });
}

/** Connections are judged like those of commands, but for commands outside of every sandbox: what they may is theirs alone. */
function exchangeJudged(
  environment: Environment,
  judged: DecidedConfinement | undefined,
): NonNullable<Environment["exchange"]> {
  const mayConnect = judged?.mayConnect ?? (() => false);
  return (request) => environment.exchange!({ ...request, mayConnect });
}

async function startConfined(
  environment: Environment,
  { level, ...confinement }: DecidedConfinement,
  program: string,
  options: StartOptions,
): Promise<RunningProcess> {
  if (level !== undefined && !confinement.unconfined) {
    const now = (await environment.sandbox?.())?.level ?? "none";
    if (now !== level) throw callChanged();
  }
  const own = options.confinement === "ours" ? undefined : options.confinement;
  return environment.start(program, { ...options, confinement: withOwn(confinement, own) });
}

function undeclared(tool: string): ToolError {
  return new ToolError("denied", `${tool} starts a program without declaring it`, {
    hint: 'Name the command in `accesses` ({ kind: "execute", command }), or give the tool the risk "execute".',
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
