import { ToolError } from "../contract/error.ts";

export function explainFailure(stderr: string, code: number | undefined): ToolError {
  return (
    knownFailure(stderr, code) ??
    new ToolError("unavailable", `git failed: ${complaintOf(stderr, code)}`, {
      hint: "Run the same git command with shell.run to see all of it.",
    })
  );
}

/**
 * Git has no error codes, so this and the other files about git match its messages, which `runGit` keeps in English by
 * LC_ALL. Undefined for a failure that is not among the known ones.
 */
export function knownFailure(stderr: string, code: number | undefined): ToolError | undefined {
  for (const [pattern, make] of known) {
    const match = pattern.exec(stderr);
    if (match) return make(match, complaintOf(stderr, code));
  }
  return undefined;
}

function complaintOf(stderr: string, code: number | undefined): string {
  return firstComplaint(stderr) ?? `git ended with ${code === undefined ? "a signal" : `code ${code}`}`;
}

function firstComplaint(stderr: string): string | undefined {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((one) => /^(?:fatal|error): /.test(one)) ?? lines[0];
  return line?.replace(/^(?:fatal|error): /, "").slice(0, 500);
}

type Make = (match: RegExpExecArray, complaint: string) => ToolError;

const known: readonly (readonly [RegExp, Make])[] = [
  [
    /detected dubious ownership in repository at '(.+)'/,
    ([, path]) =>
      new ToolError("denied", `The repository ${path} belongs to another user`, {
        hint: `Ask the person, who can trust it: git config --global --add safe.directory '${path}'`,
      }),
  ],
  [/not a git repository/, () => noRepository()],
  [
    /Unable to create '(.+\.lock)': File exists/,
    ([, path]) =>
      new ToolError("unavailable", `Another git is at work in this repository: ${path} exists`, {
        hint: "Call again in a moment. If no git runs any more, the person can delete that file.",
      }),
  ],
  [
    /unknown repository extension|[Ee]xpected git repo version/,
    (_, complaint) =>
      new ToolError("unsupported", `This git does not know the format of the repository: ${complaint}`, {
        hint: "It takes a newer git.",
      }),
  ],
  [
    /bad config|bad numeric config|bad boolean config|invalid value for '/,
    (_, complaint) =>
      new ToolError("unsupported", `git cannot read its settings: ${complaint}`, {
        hint: "Ask the person to put .git/config right.",
      }),
  ],
  [
    /lazy fetching disabled|promisor remote|transport '.*' not allowed/,
    () =>
      new ToolError("unavailable", "This is a partial clone, and lacks what was asked for", {
        hint: "Nothing is fetched here: get it with `git fetch` in shell.run, which is judged by the rules for the network.",
      }),
  ],
  [
    /object file .* is empty|is corrupt|bad object|unable to read tree|bad tree object|index file corrupt|bad signature/,
    (_, complaint) =>
      new ToolError("unavailable", `The repository is damaged: ${complaint}`, {
        hint: "`git fsck` in shell.run tells more.",
      }),
  ],
];

/** No directory from here upwards has a repository. */
export function noRepository(where = "the workspace"): ToolError {
  return new ToolError("not-found", `There is no git repository in ${where}, nor above it`, {
    hint: "Give the path of a repository below the workspace, or make one with `git init` in shell.run.",
    details: { kind: "no-repository" },
  });
}
