import type { ToolRisk } from "../contract/access.ts";
import type { DecisionRecord } from "../contract/call.ts";
import type { ToolError } from "../contract/error.ts";
import { cannotWrite } from "../engine/policy/commands/names.ts";
import { gitLossOf, reachOf } from "../engine/policy/what-still-asks.ts";
import { printableLine } from "../lib/text/printable.ts";
import { findRules, unconfinedBy } from "./find-rules.ts";
import { formatOrigin } from "./guard-paths.ts";
import { kindOfHost, meansLoopback, spells } from "./hosts.ts";
import { partsOf, type ReadCommand } from "./parts.ts";
import type { Decision, PathPart, PolicyPart, PolicyVerdict, Question } from "./policy.ts";
import { harm, worse } from "./rules/command-risk.ts";
import type { Policy } from "./rules/compile-policy.ts";
import { isFor, type Rule, type RuleFinding } from "./rules/rule.ts";

/**
 * Decides about a call part by part. The strictest verdict on a part is the verdict on the call. Pure. `readCommand` is
 * a parameter, because the grammar and the program rules are large and most calls run nothing.
 */
export function decideCall(question: Question, policy: Policy, readCommand: ReadCommand): Decision {
  const all = partsOf(question, policy.context, readCommand);
  const unconfined = areUnconfined(all, question, policy);
  const sandbox = unconfined ? "none" : question.sandbox;
  const parts = all.flatMap((part) => verdictOn(part, { ...question, sandbox }, policy) ?? []);
  let decisive = parts[0]!;
  let risk = decisive.risk;
  for (const part of parts) {
    risk = worse(risk, part.risk);
    if (strictness(part) > strictness(decisive)) decisive = part;
  }
  const { verdict } = decisive;
  const hasPromise = question.asksBeforeCommands && parts.some(({ part }) => part.kind === "run");
  const promise = hasPromise ? ({ asksBeforeCommands: true } as const) : {};
  const record = { ...recordOf(decisive, parts, question), ...promise };
  return { verdict, risk, sandbox, unconfined: unconfined || undefined, decisive, parts, record };
}

type RunPart = Extract<PolicyPart, { kind: "run" }>;

/** Returns whether a call leaves the sandbox, which a rule must allow for every command in it. */
function areUnconfined(parts: readonly PolicyPart[], question: Question, policy: Policy): boolean {
  const commands = parts.filter(
    (part) => part.kind === "run" && !part.command.isElsewhere,
  ) as readonly RunPart[];
  return (
    commands.length > 0 &&
    policy.unconfined.length > 0 &&
    parts.every(({ kind }) => kind !== "unclear") &&
    commands.every(({ command }) => unconfinedBy(command, question, policy) !== undefined)
  );
}

function strictness({ part, verdict, risk, rule }: PolicyVerdict): number {
  const isImplied = part.kind === "use" && part.names === "everything" && verdict === "allow";
  if (isImplied && rule === undefined) return -1;
  return strict[verdict] * 20 + harm(risk) * 2 + (rule === undefined ? 0 : 1);
}

const strict = { allow: 0, ask: 1, deny: 2 } as const;

function recordOf(
  decisive: PolicyVerdict,
  parts: readonly PolicyVerdict[],
  { mode }: Question,
): DecisionRecord {
  const { verdict, rule, risk, reason } = decisive;
  if (rule !== undefined) return { verdict, rule: rule.text, source: formatOrigin(rule), reason };
  const alike = parts.filter((part) => strictness(part) === strictness(decisive));
  const named = alike.filter(({ part }) => part.kind !== "unclear");
  const would = [...new Set((named.length > 0 ? named : alike).map(({ part }) => describePart(part)))];
  const shown = would.length > 5 ? [...would.slice(0, 5), `${would.length - 5} more`] : would;
  const source = decisive.planned ? "plan mode" : `mode ${mode}`;
  const doubt = reason.startsWith(source) ? "" : `: ${reason}`;
  return { verdict, rule: `${source}: ${risk}`, source, reason: `it would ${shown.join(", ")}${doubt}` };
}

/** Returns the verdict on one part; undefined for a path that is only mentioned and that no rule refuses. */
function verdictOn(part: PolicyPart, question: Question, policy: Policy): PolicyVerdict | undefined {
  const { mode } = question;
  const finding = findRules(part, question, policy);
  const { deny, mayDeny, wins, doubt, risk } = finding;
  const planned = question.isPlanning ? deniedByPlan(part, question) : undefined;
  if (planned !== undefined)
    return { part, verdict: "deny", risk, rule: undefined, reason: planned, planned: true };
  const give = (verdict: PolicyVerdict["verdict"], reason: string, rule?: Rule): PolicyVerdict => {
    return { part, verdict, risk, rule: rule?.origin, reason };
  };
  const askFirmly = (reason: string, rule?: Rule) => ({ ...give("ask", reason, rule), firm: true }) as const;
  if (deny !== undefined) return give("deny", deny.reason, deny.rule);
  const outside = refusalOutside(part, question);
  if (outside !== undefined) return { ...give("deny", "it leads outside the workspace"), outside };
  if (mayDeny !== undefined && guessCounts(part, mayDeny, question))
    return askFirmly(mayDeny.reason, mayDeny.rule);
  if ("mentioned" in part) {
    // An unknown program gets the path, which the sandbox shows only after an answer.
    const isHidden = mode !== "yolo" && part.kind !== "connect" && doubt !== undefined;
    return isHidden && wins === undefined ? give("ask", doubt) : undefined;
  }
  if (handsOutKeys(part, wins)) return give("deny", keysReason);
  if (part.kind === "use" && part.names === "everything" && wins === undefined)
    return give("allow", "its paths and hosts are checked");
  if (part.kind === "run" && part.command.isElsewhere && wins?.effect !== "ask") return undefined;
  if (mode === "yolo") return give("allow", "mode yolo allows everything");
  if (mode === "paranoid") return askFirmly(wins?.because ?? "mode paranoid asks before everything");
  // Without a sandbox, rules that allow confined commands do not apply.
  const isBare = part.kind === "run" && question.sandbox === "none" && finding.unconfined === undefined;
  const bare = isBare || undefined;
  const isHeldHere = isHeld(question) && isWhole(part, policy) && !(wins && isWrittenByUser(wins));
  if (wins?.effect === "ask" && !isHeldHere)
    return { ...give("ask", wins.because ?? "a rule asks before this", wins), bare };
  if (wins === undefined && part.kind === "write" && isOfRepository(part, policy))
    return give("ask", "git would take its directory for a repository, and obey its settings");
  if (part.kind === "unclear") {
    const runs = isHeld(question) || (part.readsOnly && isConfined(question));
    if (!runs || part.isSyntax) return askFirmly(`it is more than plain words: ${part.reason}`);
    if (question.undoLacks !== undefined && !part.readsOnly)
      return give("ask", unrestored(question.undoLacks));
    return give("allow", inSandbox);
  }
  if (bare) {
    const without = "no sandbox is available, so every command needs approval";
    const usual = `mode ${mode} asks before commands run, and there is no sandbox`;
    return { ...give("ask", wins === undefined ? usual : without), bare };
  }
  if (wins?.effect === "allow") return give("allow", wins.because ?? "a rule allows it", wins);
  if (doubt !== undefined) return give("ask", doubt);
  return { part, risk, rule: undefined, ...verdictOfMode(part, risk, mode, question) };
}

/** Whether a file that the tool itself writes is one by which git finds or obeys a repository. */
function isOfRepository(part: PathPart, { context }: Policy): boolean {
  if (part.by === "git" || part.in !== undefined || part.target.kind !== "known" || part.mentioned)
    return false;
  return context.isOfRepository?.(part.target.real ?? part.target.path) === true;
}

/** Returns why the environment refuses a path that the tool itself names. The sandbox judges what commands name. */
function refusalOutside(part: PolicyPart, { outside }: Question): ToolError | undefined {
  if (!("target" in part) || part.in !== undefined || part.target.kind !== "known") return undefined;
  return outside?.get(part.target.spelled);
}

/** Returns why plan mode denies a part; undefined for a part that only reads. No rule and no mode can allow more. */
function deniedByPlan(part: PolicyPart, { tool, accesses, sandbox }: Question): string | undefined {
  const commands = accesses.filter((access) => access.kind === "execute");
  switch (part.kind) {
    case "read":
    case "connect":
      return undefined;
    case "use": {
      // The commands of such a call are separate parts.
      const onlyRunsCommands = commands.length > 0 && commands.length === accesses.length;
      const isWebReader = tool.server === undefined && webReaders.has(tool.name);
      return tool.risk === "read" || onlyRunsCommands || isWebReader ? undefined : onlyReads;
    }
    case "run":
    case "unclear": {
      // Later commands of an open shell may write, so its sandbox cannot be read-only.
      const isInOpenShell = commands.some(({ session }) => session !== undefined);
      const isHarmless = part.kind === "run" && cannotWrite(part.command);
      const isHeldBack = sandbox === "bwrap" || sandbox === "landlock" || isHarmless;
      const isConfinedRead = part.readsOnly && sandbox !== "none" && isHeldBack && !isInOpenShell;
      return isConfinedRead ? undefined : "plan mode runs only commands that read, in the sandbox";
    }
    default:
      return onlyReads;
  }
}

const onlyReads = "plan mode only reads";

const webReaders: ReadonlySet<string> = new Set(["web.fetch", "web.search"]);

/**
 * Returns the verdict on a part that no rule is about. `cautious` allows every change that undo covers in full, and
 * commands that only read and are confined. The files that they name are separate parts.
 */
function verdictOfMode(
  part: PolicyPart,
  risk: ToolRisk,
  mode: "safe" | "cautious",
  question: Question,
): Pick<PolicyVerdict, "verdict" | "reason"> {
  const isChange = part.kind === "write" || part.kind === "delete";
  if (mode === "cautious" && isChange) {
    const { kind, target } = part;
    const loss = target.kind === "known" ? question.notCovered?.get(target.spelled) : undefined;
    if (loss !== undefined) return { verdict: "ask", reason: `undo cannot restore it: ${loss}` };
    return { verdict: "allow", reason: `mode cautious ${kind === "write" ? "allows writing" : deletes}` };
  }
  if (part.kind !== "run" && (risk === "read" || (risk === "write" && mode === "cautious")))
    return { verdict: "allow", reason: `mode ${mode} allows ${actions[risk]}` };
  // Only a rule lets the call connect to the other servers of this machine.
  const isOwn = question.reachesOwnServers || ("in" in part && question.sandbox === "bwrap");
  if (part.kind === "connect" && isOwn && meansLoopback(part.host))
    return { verdict: "allow", reason: "servers that commands run may be used" };
  if (part.kind === "run" && isHeld(question)) {
    const reach = reachOf(part.command);
    if (reach !== undefined)
      return { verdict: "ask", reason: `it reaches ${reach}, where nothing is undone` };
    const loss = gitLossOf(part.command);
    if (loss !== undefined) return { verdict: "ask", reason: `undo cannot restore it: ${loss}` };
    if (question.undoLacks !== undefined && !part.readsOnly)
      return { verdict: "ask", reason: unrestored(question.undoLacks) };
    return { verdict: "allow", reason: inSandbox };
  }
  if (part.kind === "run" && part.readsOnly && isConfined(question))
    return { verdict: "allow", reason: `mode ${mode} allows commands that only read, in a read-only view` };
  if (part.kind === "run" && holdsSecretsOpen(question))
    return { verdict: "ask", reason: "the workspace contains secrets, which Landlock cannot hide" };
  // Such a command asks whatever it does, so the reason does not name deleting.
  const action = part.kind === "run" && risk === "destructive" ? "execute" : risk;
  return { verdict: "ask", reason: `mode ${mode} asks before ${actions[action]}` };
}

const deletes = "allows deleting what undo restores";
function unrestored(why: string): string {
  return `undo cannot restore what it changes: ${why}`;
}

const inSandbox = "mode cautious allows commands in the sandbox";

/**
 * Whether the sandbox and undo hold what a command does, so that it runs unasked: it sees no secrets, reaches no host
 * without an answer, and everything that it writes is in the workspace.
 */
function isHeld(question: Question): boolean {
  return question.mode === "cautious" && isConfined(question);
}

/**
 * Whether a sandbox keeps commands from what rules about paths refuse. Then a command that only reads can do no harm,
 * because its view is read-only.
 */
function isConfined(question: Question): boolean {
  const { mode, sandbox, asksBeforeCommands } = question;
  const hides = sandbox === "bwrap" || (sandbox === "landlock" && !holdsSecretsOpen(question));
  return (mode === "cautious" || mode === "safe") && hides && !asksBeforeCommands;
}

/** Whether commands could read secrets of the workspace. A workspace that was not searched may have some. */
function holdsSecretsOpen({ sandbox, holdsSecrets = true }: Question): boolean {
  return sandbox === "landlock" && holdsSecrets;
}

/** Whether a guess counts that a part may become what a rule refuses. The sandbox holds rules about paths by itself. */
function guessCounts(
  part: PolicyPart,
  { rule, aimed }: NonNullable<RuleFinding["mayDeny"]>,
  question: Question,
): boolean {
  if (isConfined(question)) return part.kind === "run" && isWrittenByUser(rule);
  return question.mode !== "yolo" || aimed || isWrittenByUser(rule);
}

/** Whether a part is about the workspace as a whole, which contains protected files that the sandbox keeps. */
function isWhole(part: PolicyPart, { context }: Policy): boolean {
  return "target" in part && part.target.kind === "known" && part.target.path === context.workspace;
}

/** Returns whether a part connects to cloud metadata, which contains credentials, although no rule names the host. */
function handsOutKeys(part: PolicyPart, wins: Rule | undefined): boolean {
  if (part.kind !== "connect" || part.host === undefined || kindOfHost(part.host) !== "metadata")
    return false;
  return !(wins?.kind === "connect" && wins.effect === "allow" && spells(wins, part.host));
}

const keysReason = "it is a cloud metadata service, which hands out this machine's credentials";

function isWrittenByUser({ origin }: Rule): boolean {
  return origin.level !== "built-in";
}

const actions: Record<ToolRisk, string> = {
  read: "reading",
  write: "writing",
  execute: "commands run",
  network: "connecting",
  destructive: "deleting",
};

/** Describes a part, to follow "it would". */
export function describePart(part: PolicyPart): string {
  switch (part.kind) {
    case "use":
      return part.server === undefined
        ? `use the tool ${printableLine(part.tool)}`
        : `use ${printableLine(part.tool)} of the MCP server ${part.server}`;
    case "run":
    case "unclear":
      return `run \`${part.in.command.slice(part.in.span.start, part.in.span.end)}\``;
    case "connect":
      return `connect to ${part.host ?? part.spelling}`;
    default:
      return `${part.kind} ${part.path === "." ? "files of the workspace" : part.path}`;
  }
}

/** Returns whether a rule denies every call of a tool, regardless of its input: `deny use shell.run`. */
export function deniesTool(tool: Question["tool"], { tools }: Pick<Policy, "tools">): boolean {
  return tools.some((rule) => rule.effect === "deny" && isFor(rule, tool) && rule.tool(tool));
}
