import { ToolError } from "../../contract/error.ts";
import { OpenPolicy } from "../../toolcrib/open-policy.ts";
import { projectRulesPath } from "../../toolcrib/trust.ts";
import { type Finding, note, well, wrong } from "./finding.ts";

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
