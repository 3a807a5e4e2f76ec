/** The blocks of code in the documents, and the workspace in which they run. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launcher } from "./built-program.ts";
import { noProviders } from "./cli-workspace.ts";
import { linkTree, typescriptPackages } from "./language-servers/served-project.ts";
import { oncePerRun } from "./once-per-run.ts";

export const repository: string = join(import.meta.dirname, "../..");
export const documents: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  ...globSync("docs/**/*.md", { cwd: repository }),
];

/** A block of code in a document. */
export interface Block {
  readonly document: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** From a comment above the block: the file that it shows. */
  readonly file: string | undefined;
  /** From a comment above the block: it runs where no model is reachable. */
  readonly hasNoModel: boolean;
  /** From a comment above the block: it runs with a PostgreSQL database. */
  readonly hasDatabase: boolean;
}

export const blocks: readonly Block[] = documents.flatMap(readBlocks);

/** The blocks that `isWanted` chooses, with their places as names. */
export function named(isWanted: (block: Block) => boolean): readonly (readonly [string, Block])[] {
  return blocks.filter(isWanted).map((block) => [`${block.document}:${block.line}`, block]);
}

/** The sample project of the documents, with the sample documents that the block names. */
export async function prepareWorkspace(folder: string, { text, document }: Block): Promise<void> {
  cpSync(await oncePerRun("documented-project", makeProject), folder, { recursive: true });
  if (document === "docs/fleet.md") cpSync(join(repository, "examples/fleet"), folder, { recursive: true });
  if (document === "docs/language-servers.md")
    for (const [name, source] of Object.entries(typescriptPackages))
      linkTree(join(repository, "node_modules", source), join(folder, "node_modules", name));
  const samples = join(repository, "test/samples/documents");
  for (const name of globSync("[a-z]*", { cwd: samples }))
    if (text.includes(` ${name}`)) cpSync(join(samples, name), join(folder, name));
}

/** Makes the sample project with its repository and commands. */
async function makeProject(folder: string): Promise<void> {
  cpSync(join(repository, "test/fixtures/project"), folder, { recursive: true });
  const tools = join(folder, ".bin");
  mkdirSync(tools);
  writeFileSync(join(tools, "toolcrib"), `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`);
  // `npx toolcrib …` in the documents runs the command of this checkout.
  writeFileSync(join(tools, "npx"), '#!/bin/sh\nexec "$@"\n');
  for (const name of ["toolcrib", "npx"]) chmodSync(join(tools, name), 0o755);
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder });
  git("init", "-q", "-b", "main");
  // As in most users' own settings.
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  writeFileSync(join(folder, ".git/info/exclude"), ".bin/\n.toolcrib-home/\nnode_modules/\n");
}

/** The variables of a program that runs in this workspace. */
export function variablesIn(folder: string, variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...noProviders,
    ...variables,
    PATH: `${join(folder, ".bin")}:${process.env.PATH}`,
    TOOLCRIB_HOME: join(folder, ".toolcrib-home"),
    TOOLCRIB_SEARCH: undefined,
    NO_COLOR: "1",
    FORCE_COLOR: undefined,
  };
}

function readBlocks(document: string): Block[] {
  const text = readFileSync(join(repository, document), "utf8");
  const fences = text.matchAll(
    /(?:<!-- (?:file: (\S+)|(without a model)|(with a database)) -->\n)?^```(\S*)\n([\s\S]*?)^```$/gm,
  );
  return [...fences].map((match) => ({
    document,
    line: text.slice(0, match.index).split("\n").length,
    language: match[4]!,
    text: match[5]!,
    file: match[1],
    hasNoModel: match[2] !== undefined,
    hasDatabase: match[3] !== undefined,
  }));
}
