import { ToolError } from "../contract/error.ts";

export function explainFailure(stderr: string, code: number | undefined): ToolError {
  return (
    knownFailure(stderr, code) ??
    new ToolError("unavailable", `git failed: ${complaintOf(stderr, code)}`, {
      hint: "Run the same git command with shell.run to see its whole output.",
      forUser: { hint: "Run the same git command yourself to see its whole output." },
    })
  );
}

/** Explains a known failure; undefined for others. Git has no error codes, so its English messages are matched. */
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
        hint: `Ask the user to trust it: git config --global --add safe.directory '${path}'`,
        forUser: { hint: `To trust it, run: git config --global --add safe.directory '${path}'` },
      }),
  ],
  [/not a git repository/, () => noRepository()],
  [
    /Unable to create '(.+\.lock)': File exists/,
    ([, path]) =>
      new ToolError("unavailable", `Another git process is using this repository: ${path} exists`, {
        hint: "Retry in a moment. If it still exists then, ask the user to delete that file.",
        forUser: { hint: "Retry in a moment. If no git process is running, delete that file." },
      }),
  ],
  [
    /unknown repository extension|[Ee]xpected git repo version/,
    (_, complaint) =>
      new ToolError("unsupported", `This git does not know the format of the repository: ${complaint}`, {
        hint: "Install a newer git.",
      }),
  ],
  [
    /bad config|bad numeric config|bad boolean config|invalid value for '/,
    (_, complaint) =>
      new ToolError("unsupported", `git cannot read its configuration: ${complaint}`, {
        hint: "Ask the user to fix this setting in .git/config or ~/.gitconfig.",
        forUser: { hint: "Fix this setting in .git/config or ~/.gitconfig." },
      }),
  ],
  [
    /lazy fetching disabled|promisor remote|transport '.*' not allowed/,
    () =>
      new ToolError("unavailable", "This is a partial clone, and the requested objects are missing", {
        hint: "Fetch them with `git fetch` in shell.run.",
        forUser: { hint: "Fetch them: git fetch" },
      }),
  ],
  [
    /object file .* is empty|is corrupt|bad object|unable to read tree|bad tree object|index file corrupt|bad signature/,
    (_, complaint) =>
      new ToolError("unavailable", `The repository is damaged: ${complaint}`, {
        hint: "Run `git fsck` in shell.run for details.",
        forUser: { hint: "For details, run: git fsck" },
      }),
  ],
];

export function noRepository(where = "the workspace"): ToolError {
  return new ToolError("not-found", `There is no git repository in ${where}, nor above it`, {
    hint: "Give the path of a repository in the workspace, or create one with `git init` in shell.run.",
    forUser: { hint: "Name the folder of a repository in the workspace, or create one: git init" },
    details: { kind: "no-repository" },
  });
}
