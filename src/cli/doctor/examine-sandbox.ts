import type { SandboxReport } from "../../contract/environment.ts";
import { ToolError, textForUser } from "../../contract/error.ts";
import { openLab } from "../../sandbox/proof/lab.ts";
import {
  type AttackedMachine,
  LabMachine,
  type Proof,
  proveBoundary,
} from "../../sandbox/proof/prove-boundary.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../toolcrib/index.ts";
import { OpenPolicy, type PolicyOptions } from "../../toolcrib/open-policy.ts";
import type { SandboxSetting } from "../../toolcrib/options.ts";
import { projectRulesPath } from "../../toolcrib/trust.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

export interface SandboxExamination {
  readonly findings: readonly Finding[];
  /** The report; null when the sandbox could not be attacked, for example because it is not available. */
  readonly sandbox: SandboxReport | null;
  readonly boundary: readonly Proof[];
}

interface Examining {
  readonly want: SandboxSetting;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
  /** Default: on this machine. */
  readonly open?: () => Promise<AttackedWorkspace>;
}

/** A temporary workspace for attacks, and the options to open an instance in it. `await using` removes it. */
export interface AttackedWorkspace extends AsyncDisposable {
  readonly machine: AttackedMachine;
  readonly options: ToolcribOptions;
}

async function openHere(): Promise<AttackedWorkspace> {
  const lab = await openLab();
  return {
    machine: new LabMachine(lab),
    options: { workspace: lab.workspace, stateDirectory: lab.state, configDirectory: lab.config },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}

/** Attacks every promise of the sandbox from a temporary workspace. */
export async function examineSandbox(options: Examining): Promise<SandboxExamination> {
  try {
    const { report, boundary } = await attack(options);
    const findings = [...levelFindings(report, boundary), ...boundaryFindings(report, boundary)];
    return { findings, sandbox: report, boundary };
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === "cancelled") throw error;
    const { message, hint } = textForUser(error);
    const fault = problem("sandbox", message, hint ?? "Fix this first.");
    return { findings: [fault], sandbox: null, boundary: [] };
  }
}

async function attack({ want, signal, progress, open = openHere }: Examining) {
  const attacked = await open();
  let crib: Toolcrib | undefined;
  try {
    const { machine, options } = attacked;
    const opened = await openToolcrib({ ...options, sandbox: want, approve: () => ({ allow: true }) });
    crib = opened;
    const report = await crib.sandbox();
    const run = async (command: string) => {
      const { error } = await opened.call("shell.run", { command }, { signal });
      if (error) {
        const { message, hint } = textForUser(error);
        throw new ToolError(error.code, message, { hint: hint ?? undefined });
      }
    };
    return { report, boundary: await proveBoundary({ machine, report, run, progress }) };
  } finally {
    try {
      await crib?.close();
    } finally {
      await attacked[Symbol.asyncDispose]();
    }
  }
}

function levelFindings(
  { level, missing, gaps }: SandboxReport,
  proofs: readonly Proof[],
): readonly Finding[] {
  if (level === "none") {
    const message = "none: commands are not confined, and need approval in every mode but yolo";
    return [warning("sandbox", message, missing.join(" ") || "Use the best available: --sandbox auto")];
  }
  if (level === "bwrap") return [ok("sandbox", level), ...missing.map(withoutNetwork)];
  const better =
    level === "landlock" ? "bwrap enforces more: toolcrib doctor --sandbox bwrap" : "No better one exists.";
  const shown = new Set(proofs.map(({ reason }) => reason));
  return [
    warning("sandbox", `${level}, ${weaknesses[level]}`, missing.join(" ") || better),
    ...gaps.filter((gap) => !shown.has(gap)).map((gap) => warning("sandbox", gap)),
  ];
}

const weaknesses = {
  landlock: "which is weaker than bwrap: commands can read secrets in the workspace",
  seatbelt: "which is untried",
} as const;

/** Warns that bubblewrap works, but without the network that commands share. */
function withoutNetwork(missing: string): Finding {
  const [, message = missing, fix = "Report this with the output of: toolcrib doctor --json"] =
    /^(.*?): (.*)$/s.exec(missing) ?? [];
  return warning("sandbox", message, fix);
}

function boundaryFindings(report: SandboxReport, proofs: readonly Proof[]): readonly Finding[] {
  return proofs.flatMap(({ promise, outcome, reason = "" }) => {
    if (outcome === "enforced") return [ok("boundary", `enforced: ${promise}`)];
    if (outcome === "open") return [problem("boundary", `NOT enforced: ${promise}`, remedy(report))];
    if (outcome === "not tried") return [warning("boundary", `not tried: ${promise}`, reason)];
    // Without a sandbox, one finding covers all promises.
    if (report.level === "none") return [];
    return [warning("boundary", `not enforced by ${report.level}: ${promise}`, reason)];
  });
}

function remedy({ missing }: SandboxReport): string {
  const better = missing.length === 0 ? "" : `${missing.join(" ")} Until then, `;
  return `${better}use --mode paranoid here, and report this with the output of: toolcrib doctor --json`;
}

/** Examines whether the rules can be read, which files they come from, and whether the project's are trusted. */
export async function examineRules(options: PolicyOptions): Promise<readonly Finding[]> {
  try {
    const { sources, project } = await OpenPolicy.open(options);
    const files = sources.map(({ name }) => name).filter((name) => name.startsWith("/"));
    const found = ok("rules", ["built in", ...files].join(", "));
    return project === undefined || project.trust === "trusted"
      ? [found]
      : [found, warning("rules", untrusted[project.trust], "Review and trust them: toolcrib policy trust")];
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { message, hint } = textForUser(error);
    return [problem("rules", message.split("\n")[0]!, hint ?? "See: toolcrib help policy")];
  }
}

const untrusted = {
  untrusted: `${projectRulesPath} is not trusted: its rules can only deny`,
  changed: `${projectRulesPath} has changed since it was trusted: its rules can only deny`,
};
