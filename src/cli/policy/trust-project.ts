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
import { quoteText } from "../approvals/show-request.ts";
import type { Arguments } from "../command.ts";
import { printJson } from "../report.ts";
import { print, remark } from "../terminal.ts";
import { type PolicyContext, refuseWords, withPolicy } from "./open-policy.ts";

/** `toolcrib policy trust` */
export async function trustProject(given: Arguments): Promise<number> {
  refuseWords(given.operands, "trust");
  return withPolicy(given, async ({ workspace, files, rules: { project } }) => {
    if (project === undefined) throw noProjectRules(workspace);
    const loosening = looseningRules(project);
    if (!given.options.has("json")) remark(showProject(workspace, project, loosening));
    const wasTrusted = project.trust === "trusted";
    if (!wasTrusted) {
      await confirmTrust(given, {
        what: "these rules",
        otherwise: "What forbids in them counts all the same.",
      });
      trustProjectRules(workspace, project, files);
    }
    const report = { workspace, sha256: project.hash, trust: "trusted", allows: loosening };
    if (given.options.has("json")) printJson(report);
    else print(wasTrusted ? "They are trusted already.\n" : "Trusted, until the file changes.\n");
    return 0;
  });
}

/** `toolcrib policy untrust` */
export async function untrustProject(given: Arguments): Promise<number> {
  refuseWords(given.operands, "untrust");
  return withPolicy(given, async ({ workspace, files }: PolicyContext) => {
    const wasTrusted = untrustProjectRules(files);
    if (given.options.has("json")) printJson({ workspace, trust: "untrusted", wasTrusted });
    else print(wasTrusted ? "No longer trusted: its rules can only forbid.\n" : "They were not trusted.\n");
    return 0;
  });
}

/** What trust would add: all else counts already. */
function looseningRules({ text }: ProjectRules): readonly string[] {
  const source = { level: "project", name: projectRulesPath, text, onlyTightens: true } as const;
  const { ignored, settings } = parseRules(source);
  // A limit counts already where it is lower than others; once trusted, also where it is higher.
  const limits = settings.filter(({ kind }) => kind === "limit").map(({ origin: place }) => place);
  return [...ignored, ...limits]
    .sort((one, other) => one.line - other.line)
    .map(({ line, text: rule }) => `${projectRulesPath}:${line}: ${rule}`);
}

function showProject(workspace: string, project: ProjectRules, loosening: readonly string[]): string {
  const columns = process.stderr.columns || 80;
  const state = project.trust === "changed" ? "It has changed since you trusted it. " : "";
  return [
    `${state}${projectRulesPath} in this folder would loosen the rules by ${counted(loosening.length, "line")}:`,
    ...loosening.flatMap((line) => quoteText(line, columns)),
    `Folder  ${quoteText(workspace, columns).join("\n").trim().replace(/^\| /, "")}`,
    `SHA-256 ${project.hash}\n`,
  ].join("\n");
}

function noProjectRules(workspace: string): ToolError {
  return new ToolError("not-found", `There is no ${projectRulesPath} in ${workspace}`, {
    hint: "Rules of your own stand in the config directory: see toolcrib paths.",
  });
}
