import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../contract/environment.ts";
import { ToolError, textForUser } from "../../contract/error.ts";
import { commandsOnTarget } from "../../lib/text/commands-on-target.ts";
import { userDirectories } from "../../system/directories.ts";
import { version } from "../../system/version.ts";
import { sandboxWanted } from "../../toolcrib/check-options.ts";
import { targetName } from "../../toolcrib/elsewhere.ts";
import { openAttackedTarget, openTarget } from "../../toolcrib/open-target.ts";
import type { SandboxSetting, TargetOptions } from "../../toolcrib/options.ts";
import { journalBudget } from "../../toolcrib/workspace-journal.ts";
import type { Arguments } from "../command.ts";
import { placeOf } from "../options.ts";
import { examineState } from "./doctor.ts";
import { examineProgramsOf } from "./examine-installation.ts";
import { type AttackedWorkspace, examineSandbox, type SandboxExamination } from "./examine-sandbox.ts";
import { type Finding, ok, problem } from "./finding.ts";

/** Examines a target: what is installed there, what this machine stores about it, and the sandbox there. */
export async function examineTarget(
  { options }: Pick<Arguments, "options">,
  update: (message: string) => void,
  signal: AbortSignal,
) {
  const { target } = placeOf(options) as { readonly target: TargetOptions };
  const want = sandboxWanted(options.get("sandbox"));
  const { state, config } = userDirectories();
  const folders = { workspace: targetName(target), state, config };
  const collects = options.has("collect");
  update("the target");
  const environment = await openTarget(target, { sandbox: want }).catch((error: unknown) => {
    if (!(error instanceof ToolError) || error.code === "cancelled") throw error;
    return error;
  });
  if (environment instanceof ToolError)
    return { findings: [unreachable(folders.workspace, environment)], journal: notExamined, ...notAttacked };
  try {
    update("programs");
    const there = [
      ...machineFindings(folders.workspace, environment),
      ...(await examineProgramsOf(environment, signal, "on the target")),
    ];
    const journal = await examineState(folders, journalBudget(), { signal, collects, environment });
    // The first connection has reported its progress.
    const open = () => openAttacked({ ...target, onProgress: undefined }, want);
    const attacked =
      (await withoutSandbox(environment, want)) ??
      (await examineSandbox({ want, signal, progress: update, open }));
    const findings = [...there, ...journal.findings, ...attacked.findings].map((finding) =>
      finding.hint === undefined
        ? finding
        : { ...finding, hint: commandsOnTarget(finding.hint, folders.workspace) },
    );
    return { ...attacked, findings, journal };
  } finally {
    await environment.close();
  }
}

const notExamined = { findings: [], figures: { proof: null, survey: null }, warnings: [] };
const notAttacked = { sandbox: null, boundary: [] };

function unreachable(name: string, error: ToolError): Finding {
  const { message, hint } = textForUser(error);
  return problem("target", message, hint ?? `See what is there: toolcrib target list ${name}`);
}

/** Commands are refused on a target without a sandbox, so there is nothing to attack. */
async function withoutSandbox(
  environment: Environment,
  want: SandboxSetting,
): Promise<SandboxExamination | undefined> {
  const report = await environment.sandbox?.();
  if (want === "none" || (report !== undefined && report.level !== "none")) return undefined;
  const hint = [...(report?.missing ?? []), "To run commands there unconfined: --sandbox none"].join(" ");
  const finding = problem("sandbox", "none: commands are refused on this target", hint);
  return { findings: [finding], sandbox: report ?? null, boundary: [] };
}

function machineFindings(name: string, { machine, workspace }: Environment): readonly Finding[] {
  return [
    ok("target", name),
    ok("node", machine === undefined ? "(unknown version)" : `${machine.node} on ${machine.platform}`),
    ok("server", `toolcrib ${version}, as on this machine`),
    ok("workspace", workspace),
  ];
}

async function openAttacked(target: TargetOptions, sandbox: SandboxSetting): Promise<AttackedWorkspace> {
  // The journal of the attacks, which stays on this machine.
  const folder = await mkdtemp(join(tmpdir(), "toolcrib-doctor-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const environment = await openAttackedTarget(target, { sandbox });
    return {
      machine: environment.attacked,
      options: {
        environment,
        stateDirectory: join(folder, "state"),
        configDirectory: join(folder, "config"),
      },
      [Symbol.asyncDispose]: async () => {
        await environment.close().finally(remove);
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
