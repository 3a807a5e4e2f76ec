import type { SandboxReport } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { openLab } from "../../sandbox/proof/lab.ts";
import { type Proof, proveBoundary } from "../../sandbox/proof/prove-boundary.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { OpenPolicy } from "../../toolcrib/open-policy.ts";
import type { SandboxWanted } from "../../toolcrib/options.ts";
import { projectRulesPath } from "../../toolcrib/trust.ts";
import { type Finding, note, well, wrong } from "./finding.ts";

/** What commands run in, and what that came to when it was attacked. */
interface SandboxExamination {
  readonly findings: readonly Finding[];
  /** Null where it could not be attacked: what was asked for cannot be had, for example. */
  readonly sandbox: SandboxReport | null;
  readonly boundary: readonly Proof[];
}

interface Examining {
  readonly want: SandboxWanted;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

/** Attacks everything that commands are held back from, in a workspace made for that. */
export async function examineSandbox(options: Examining): Promise<SandboxExamination> {
  try {
    const { report, boundary } = await attack(options);
    const findings = [...tellLevel(report, boundary), ...tellBoundary(report, boundary)];
    return { findings, sandbox: report, boundary };
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === "cancelled") throw error;
    const fault = wrong("sandbox", error.message, error.hint ?? "Set this right first.");
    return { findings: [fault], sandbox: null, boundary: [] };
  }
}

interface Attacked {
  readonly report: SandboxReport;
  readonly boundary: readonly Proof[];
}

async function attack(examining: Examining): Promise<Attacked> {
  const lab = await openLab();
  try {
    return await attackFrom(lab, examining);
  } finally {
    await lab[Symbol.asyncDispose]();
  }
}

async function attackFrom(
  lab: Awaited<ReturnType<typeof openLab>>,
  { want, signal, progress }: Examining,
): Promise<Attacked> {
  const crib = await openToolcrib({
    workspace: lab.workspace,
    stateDirectory: lab.state,
    configDirectory: lab.config,
    sandbox: want,
    approve: () => ({ allow: true }),
  });
  try {
    const report = await crib.sandbox();
    const run = async (command: string) => {
      const { error } = await crib.call("shell.run", { command }, { signal });
      if (error)
        throw new ToolError(error.code, error.message, error.hint === null ? {} : { hint: error.hint });
    };
    return { report, boundary: await proveBoundary({ lab, report, run, progress }) };
  } finally {
    await crib.close();
  }
}

function tellLevel({ level, missing, gaps }: SandboxReport, proofs: readonly Proof[]): readonly Finding[] {
  if (level === "none") {
    const message = "none: commands are not confined, and every mode but yolo asks before each";
    return [note("sandbox", message, missing.join(" ") || "Take the best that can be had: --sandbox auto")];
  }
  if (level === "bwrap") return [well("sandbox", level)];
  const better =
    level === "landlock" ? "bwrap promises more: toolcrib doctor --sandbox bwrap" : "There is no better one.";
  const shown = new Set(proofs.map(({ reason }) => reason));
  return [
    note("sandbox", level, missing.join(" ") || better),
    ...gaps
      .filter((gap) => !shown.has(gap))
      .map((gap): Finding => ({ about: "sandbox", state: "note", message: gap })),
  ];
}

function tellBoundary(report: SandboxReport, proofs: readonly Proof[]): readonly Finding[] {
  return proofs.flatMap(({ promise, outcome, reason = "" }) => {
    if (outcome === "enforced") return [well("boundary", `enforced: ${promise}`)];
    if (outcome === "open") return [wrong("boundary", `NOT enforced: ${promise}`, remedy(report))];
    if (outcome === "not tried") return [note("boundary", `not tried: ${promise}`, reason)];
    // Said once for all of them already.
    if (report.level === "none") return [];
    return [note("boundary", `NOT enforced, nor promised by ${report.level}: ${promise}`, reason)];
  });
}

function remedy({ missing }: SandboxReport): string {
  const better = missing.length === 0 ? "" : `${missing.join(" ")} Until then, `;
  return `${better}let no command run unasked here (--mode paranoid), and report this: toolcrib doctor --json`;
}

/** Whether the rules can be read, where they stand, and whether those of the folder are trusted. */
export async function examineRules(places: {
  readonly workspace: string;
  readonly state: string;
  readonly config: string;
}): Promise<readonly Finding[]> {
  try {
    const { sources, project } = await OpenPolicy.open(places);
    const files = sources.map(({ name }) => name).filter((name) => name.startsWith("/"));
    const found = well("rules", ["built in", ...files].join(", "));
    return project === undefined || project.trust === "trusted"
      ? [found]
      : [
          found,
          note("rules", untrusted[project.trust], "Look at them, then trust them: toolcrib policy trust"),
        ];
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const [message = ""] = error.message.split("\n");
    return [wrong("rules", message, error.hint ?? "See: toolcrib help policy")];
  }
}

const untrusted = {
  untrusted: `${projectRulesPath} is not trusted: it may only forbid`,
  changed: `${projectRulesPath} has changed since it was trusted: it may only forbid`,
};
