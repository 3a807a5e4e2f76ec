import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { parseRules } from "../../policy/rules/parse-rules.ts";
import {
  type ProjectRules,
  projectRulesPath,
  trustProjectRules,
  untrustProjectRules,
} from "../../toolcrib/trust.ts";
import { confirmTrust } from "../approvals/ask-on-terminal.ts";
import type { Arguments } from "../command.ts";
import { placeName } from "../options.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { print } from "../terminal.ts";
import { type PolicyContext, withPolicy } from "./open-policy.ts";

export async function trustProject(given: Arguments): Promise<number> {
  refuseOperands(given.operands, { name: "policy" });
  return withPolicy(given, async ({ workspace, id, files, rules: { project } }) => {
    if (project === undefined)
      throw new ToolError("not-found", `There is no ${projectRulesPath} in ${workspace}`, {
        hint: "To find the folder of your own rules, run: toolcrib paths",
      });
    const loosening = looseningRules(project);
    await confirmTrust(given, {
      ...project,
      workspace,
      heading: `${projectRulesPath} of ${placeName(id)} would allow more by ${counted(loosening.length, "line")}`,
      lines: loosening,
      what: "these rules",
      otherwise: "Their deny rules still count.",
    });
    const wasTrusted = project.trust === "trusted";
    if (!wasTrusted) trustProjectRules(workspace, project, files);
    const report = { workspace, sha256: project.hash, trust: "trusted", allows: loosening };
    if (given.options.has("json")) printJson(report);
    else print(wasTrusted ? "They are already trusted.\n" : "Trusted until the file changes.\n");
    return 0;
  });
}

export async function untrustProject(given: Arguments): Promise<number> {
  refuseOperands(given.operands, { name: "policy" });
  return withPolicy(given, async ({ workspace, files }: PolicyContext) => {
    const wasTrusted = untrustProjectRules(files);
    if (given.options.has("json")) printJson({ workspace, trust: "untrusted", wasTrusted });
    else print(wasTrusted ? "No longer trusted: its rules can only deny.\n" : "They were not trusted.\n");
    return 0;
  });
}

/** Returns the rules that apply only when they are trusted. */
function looseningRules({ text }: ProjectRules): readonly string[] {
  const source = { level: "project", name: projectRulesPath, text, onlyTightens: true } as const;
  const { ignored, settings } = parseRules(source);
  // An untrusted limit counts only when it is lower than others.
  const limits = settings.filter(({ kind }) => kind === "limit").map(({ origin }) => origin);
  return [...ignored, ...limits]
    .sort((one, other) => one.line - other.line)
    .map(({ line, text: rule }) => `${projectRulesPath}:${line}: ${rule}`);
}
