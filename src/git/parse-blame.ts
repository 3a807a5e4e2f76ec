import { unquoteC } from "../lib/text/unquote-c.ts";
import type { Draft } from "./parse-status.ts";

export interface BlameGroup {
  readonly commit: string;
  readonly firstLine: number;
  readonly lines: readonly string[];
  /** The file's name in that commit, if it was another. */
  readonly from?: string;
}

export interface BlamedCommit {
  readonly hash: string;
  readonly author: string;
  readonly email: string;
  /** ISO 8601, in UTC; "" for an invalid time. */
  readonly date: string;
  readonly subject: string;
}

export const notCommitted: RegExp = /^0+$/;

/** Parses the output of `git blame --porcelain`. `path`: the file's current name, as git names it. */
export function parseBlame(
  output: string,
  path: string,
): { readonly groups: readonly BlameGroup[]; readonly commits: readonly BlamedCommit[] } {
  const groups: { commit: string; firstLine: number; lines: string[]; from?: string }[] = [];
  const commits = new Map<string, Draft<BlamedCommit>>();
  const names = new Map<string, string>();
  let hash = "";
  let line = 0;
  for (const text of output.split("\n")) {
    const head = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(text);
    if (text.startsWith("\t")) {
      const from = names.get(hash);
      const last = groups.at(-1);
      const isSame = last?.commit === hash && last.firstLine + last.lines.length === line;
      const group = isSame ? last : { commit: hash, firstLine: line, lines: [] };
      if (!isSame) groups.push(from === undefined || from === path ? group : { ...group, from });
      groups.at(-1)!.lines.push(text.slice(1));
    } else if (head !== null) {
      hash = head[1]!;
      line = Number(head[2]);
      if (!commits.has(hash)) commits.set(hash, { hash, author: "", email: "", date: "", subject: "" });
    } else readDetail(text, commits.get(hash), (name) => names.set(hash, name));
  }
  return { groups, commits: [...commits.values()] };
}

function readDetail(
  text: string,
  commit: Draft<BlamedCommit> | undefined,
  named: (name: string) => void,
): void {
  const [, key, value = ""] = /^(author|author-mail|author-time|summary|filename) (.*)$/.exec(text) ?? [];
  if (commit === undefined || key === undefined) return;
  if (key === "author") commit.author = value;
  if (key === "author-mail") commit.email = value.replace(/^<|>$/g, "");
  if (key === "author-time") commit.date = isoTime(Number(value) * 1000);
  if (key === "summary") commit.subject = value;
  if (key === "filename") named(value.startsWith('"') ? unquoteC(value) : value);
}

function isoTime(ms: number): string {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}
