import type { Environment } from "../contract/environment.ts";

/** What a person would have to write for a command to run unasked, to be named in a sentence. */
export async function rulesToRun(
  command: string,
  { sandbox }: Pick<Environment, "sandbox">,
): Promise<string> {
  const rule = `"allow run ${command}"`;
  const { level } = (await sandbox?.()) ?? { level: "none" };
  return level === "none"
    ? `the rules ${rule} and, as there is no sandbox, "unconfined run ${command}"`
    : `the rule ${rule}`;
}
