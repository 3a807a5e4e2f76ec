import { posix } from "node:path";
import type { TextEncoding } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolOutput } from "../../contract/tool.ts";
import { readEntry, readTree, type TreeEntry } from "../../git/revisions.ts";
import { outputOfGit, type Repository } from "../../git/run-git.ts";
import { sniffMediaType } from "../../lib/bytes/media-type.ts";
import { byteOrderMarkLength, decodeText, encodingOf } from "../../lib/text/encoding.ts";
import { counted, showSize } from "../../lib/text/format-quantity.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { showPath } from "../../lib/text/printable.ts";
import { shellWord } from "../../lib/text/shell-quote.ts";

export interface ShownFile {
  readonly kind: "file";
  readonly path: string;
  readonly commit: string;
  readonly bytes: number;
  /** The text, or the target of a link; undefined for binary content. */
  readonly text: string | undefined;
  readonly encoding: TextEncoding | "binary";
  readonly isLink: boolean;
}

export interface ShownTree {
  readonly kind: "directory";
  readonly path: string;
  readonly entries: readonly TreeEntry[];
}

interface PathAt {
  readonly revision: string;
  readonly commit: string;
  /** The path as given by the caller; `inside` is the path as git names it. */
  readonly path: string;
  readonly inside: string;
}

export async function showPathAt(
  { revision, commit, path, inside }: PathAt,
  repository: Repository,
): Promise<ToolOutput<ShownFile | ShownTree>> {
  if (inside === "") return showTree(path, commit, repository);
  const entry = await readEntry(commit, inside, repository);
  if (entry === undefined) throw await noSuchPath({ revision, commit, path, inside }, repository);
  if (entry.kind === "directory") return showTree(path, entry.hash, repository);
  if (entry.kind === "submodule")
    throw new ToolError("unsupported", `${path} is a submodule, at commit ${entry.hash}`, {
      hint: `If it is checked out, see its commits with git.log and \`path\` ${path}.`,
    });
  return showFile(path, commit, entry, repository);
}

async function showFile(
  path: string,
  commit: string,
  { hash, kind, bytes = 0 }: TreeEntry,
  repository: Repository,
): Promise<ToolOutput<ShownFile>> {
  if (bytes > maxFileBytes)
    throw new ToolError("too-large", `${path} is too large to show: ${showSize(bytes)}`, {
      hint: `Write it to a file with shell.run (git show ${commit.slice(0, 9)}:… > file) and read that.`,
      forUser: {
        hint: `Write it to a file: git show ${shellWord(`${commit.slice(0, 9)}:./${path}`)} > FILE`,
      },
    });
  const content = await outputOfGit(repository, ["cat-file", "blob", hash]);
  const encoding = encodingOf(content);
  const known = { kind: "file", path, commit, bytes, isLink: kind === "link" } as const;
  const type = encoding === "binary" || encoding === "latin1" ? sniffMediaType(content) : undefined;
  if (encoding === "binary" || type !== undefined)
    return {
      data: { ...known, text: undefined, encoding: "binary" },
      text: `[${showPath(path)} is not text there: ${type?.description ?? "binary data"}, ${showSize(bytes)}.]`,
    };
  const { text, ...read } = decodeText(content.subarray(byteOrderMarkLength(content)), encoding);
  const shown = kind === "link" ? `[A link to ${text}]` : text;
  return {
    data: { ...known, text, encoding: read.encoding },
    text: shown === "" ? "[The file is empty.]" : shown,
  };
}

const maxFileBytes = 16 * 1024 * 1024;

/** Shows the entries of a tree; `path` is its name. */
export async function showTree(
  path: string,
  tree: string,
  repository: Repository,
): Promise<ToolOutput<ShownTree>> {
  const entries = await readTree(tree, repository);
  return {
    data: { kind: "directory", path, entries },
    text: [...entries.map(describeEntry), `[${counted(entries.length, "entry", "entries")}]`].join("\n"),
  };
}

function describeEntry({ path, kind, bytes }: TreeEntry): string {
  if (kind === "directory") return `${showPath(path)}/`;
  if (kind === "submodule") return `${showPath(path)} (submodule)`;
  return `${showPath(path)} (${kind === "file" ? "" : `${kind}, `}${showSize(bytes ?? 0)})`;
}

/** Returns the error for a missing path, with the most similar name in its directory. */
async function noSuchPath(
  { revision, commit, path, inside }: PathAt,
  repository: Repository,
): Promise<ToolError> {
  const directory = posix.dirname(inside) === "." ? "" : posix.dirname(inside);
  const parent = directory === "" ? undefined : await readEntry(commit, directory, repository);
  const tree = directory === "" ? commit : parent?.kind === "directory" ? parent.hash : undefined;
  const names = tree === undefined ? [] : (await readTree(tree, repository)).map((one) => one.path);
  const similar = nearest(posix.basename(inside), names);
  return new ToolError("not-found", `${path} does not exist at ${revision}`, {
    hint:
      similar === undefined
        ? "List its directory with git.show and `path`, or see when it changed with git.log and `path`."
        : `Did you mean ${posix.join(posix.dirname(path), similar)}?`,
  });
}
