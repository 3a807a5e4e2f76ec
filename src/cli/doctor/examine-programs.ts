import { ToolError } from "../../contract/error.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { type Finding, note, well } from "./finding.ts";

interface Program {
  readonly name: string;
  readonly file: string;
  readonly ask: string;
  /** What it is for. */
  readonly lost: string;
  readonly package: string;
  /** What older ones cannot do, and which is the oldest that can. */
  readonly oldest?: { readonly version: readonly [number, number]; readonly lost: string };
}

const programs: readonly Program[] = [
  {
    ...{ name: "ripgrep", file: "rg", ask: "--version", package: "ripgrep" },
    lost: "large folders are searched slowly",
  },
  {
    ...{ name: "git", file: "git", ask: "--version", package: "git" },
    lost: "ignored files are told by our own reading of .gitignore, and commands and tools of git fail",
    oldest: { version: [2, 31], lost: "some tools of git fail" },
  },
  {
    ...{ name: "bash", file: "bash", ask: "--version", package: "bash" },
    lost: "commands are run by sh, and there are no sessions",
  },
  {
    ...{ name: "perl", file: "perl", ask: "-v", package: "perl" },
    lost: "in a sandbox commands reach no hosts, whatever the mode and the rules say, and no port of theirs is reached; they may have no terminal, and cannot be confined by Landlock",
  },
  {
    ...{ name: "tmux", file: "tmux", ask: "-V", package: "tmux" },
    lost: "nobody can attach to the shells that stay",
  },
];

/** Which programs are there that tools make use of. */
export async function examinePrograms(workspace: string, signal: AbortSignal): Promise<readonly Finding[]> {
  const environment = openLocalEnvironment({ workspace });
  const versionOf = async ({ file, ask }: Program) => {
    try {
      const program = await environment.start(file, { args: [ask], confinement: "ours", signal });
      const [output] = await Promise.all([textOf(program.stdout), program.exit]);
      return /\d+(?:\.\w+)+/.exec(output)?.[0] ?? "of an unknown version";
    } catch (error) {
      if (error instanceof ToolError && error.code === "unavailable") return undefined;
      throw error;
    }
  };
  try {
    const found = await Promise.all(
      programs.map(async (program) => ({ ...program, version: await versionOf(program) })),
    );
    const there = found.flatMap(({ name, version }) => (version === undefined ? [] : [`${name} ${version}`]));
    const missing = found.filter(({ version }) => version === undefined);
    return [
      well("programs", there.join(", ") || "none of those we know"),
      ...missing.map(({ name, lost, package: wanted }) =>
        note("programs", `${name} is not installed: ${lost}`, `Install ${wanted}.`),
      ),
      ...found.flatMap(({ version, ...program }) => tooOld(program, version)),
    ];
  } finally {
    await environment.close();
  }
}

/** What cannot be told from a version is not complained of. */
export function tooOld(
  { name, oldest }: Pick<Program, "name" | "oldest">,
  version: string | undefined,
): readonly Finding[] {
  const [major, minor] = (version ?? "").split(".").map(Number);
  if (oldest === undefined || major === undefined || minor === undefined || Number.isNaN(major + minor))
    return [];
  const [leastMajor, leastMinor] = oldest.version;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return [];
  const least = oldest.version.join(".");
  return [
    note("programs", `${name} ${version} is old: ${oldest.lost}`, `Install ${name} ${least} or newer.`),
  ];
}

async function textOf(output: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of output) pieces.push(piece);
  return Buffer.concat(pieces).toString("latin1");
}
