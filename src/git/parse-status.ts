/** The output of `git status --porcelain=v2 -z --branch`. Paths are relative to the top of the working tree. */
export interface Status {
  readonly branch: BranchState;
  readonly staged: readonly Change[];
  readonly unstaged: readonly Change[];
  readonly unmerged: readonly { readonly path: string; readonly state: UnmergedState }[];
  /** Files, and directories without tracked files, which end with "/". */
  readonly untracked: readonly string[];
}

interface BranchState {
  /** Undefined when HEAD is detached. */
  readonly name: string | undefined;
  /** Undefined before the first commit. */
  readonly commit: string | undefined;
  readonly upstream: string | undefined;
  /** Undefined without an upstream branch, or when that no longer exists. */
  readonly ahead: number | undefined;
  readonly behind: number | undefined;
}

export interface Change {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted" | "renamed" | "copied" | "type changed";
  readonly from?: string | undefined;
  readonly submodule?: readonly SubmoduleChange[] | undefined;
}

export type SubmoduleChange = "other commit" | "modified content" | "untracked files";

type UnmergedState = (typeof unmergedStates)[keyof typeof unmergedStates];

const unmergedStates = {
  DD: "both deleted",
  AU: "added by us",
  UD: "deleted by them",
  UA: "added by them",
  DU: "deleted by us",
  AA: "both added",
  UU: "both modified",
} as const;

export function parseStatus(output: string): Status {
  const branch: Draft<BranchState> = {
    name: undefined,
    commit: undefined,
    upstream: undefined,
    ahead: undefined,
    behind: undefined,
  };
  const staged: Change[] = [];
  const unstaged: Change[] = [];
  const unmerged: { path: string; state: UnmergedState }[] = [];
  const untracked: string[] = [];
  const records = output.split("\0");
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at]!;
    switch (record[0]) {
      case "#":
        readHeader(record, branch);
        break;
      case "1":
        readChange(record, 8, undefined, staged, unstaged);
        break;
      case "2":
        at += 1;
        readChange(record, 9, records[at], staged, unstaged);
        break;
      case "u":
        unmerged.push({
          path: fieldsFrom(record, 10),
          state: unmergedStates[record.slice(2, 4) as keyof typeof unmergedStates],
        });
        break;
      case "?":
        untracked.push(record.slice(2));
        break;
    }
  }
  return { branch, staged, unstaged, unmerged, untracked };
}

/** The same type with fields that can be assigned. */
export type Draft<Value> = { -readonly [Key in keyof Value]: Value[Key] };

function readHeader(record: string, branch: Draft<BranchState>): void {
  const [, key, value = ""] = /^# branch\.(\w+) (.*)$/s.exec(record) ?? [];
  if (key === "oid") branch.commit = value === "(initial)" ? undefined : value;
  if (key === "head") branch.name = value === "(detached)" ? undefined : value;
  if (key === "upstream") branch.upstream = value;
  const [, ahead, behind] = (key === "ab" && /^\+(\d+) -(\d+)$/.exec(value)) || [];
  if (ahead === undefined) return;
  branch.ahead = Number(ahead);
  branch.behind = Number(behind);
}

export const changes: Readonly<Record<string, Change["change"]>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  C: "copied",
  T: "type changed",
};

/** Reads "XY sub …": the staged change, the unstaged one, and the state of a submodule. */
function readChange(
  record: string,
  pathField: number,
  from: string | undefined,
  staged: Change[],
  unstaged: Change[],
): void {
  const path = fieldsFrom(record, pathField);
  const submodule = readSubmodule(record.slice(5, 9));
  const of = (letter: string | undefined): Change[] => {
    const change = changes[letter ?? ""];
    if (change === undefined) return [];
    const isMoved = from !== undefined && (change === "renamed" || change === "copied");
    return [{ path, change, from: isMoved ? from : undefined, submodule }];
  };
  staged.push(...of(record[2]));
  unstaged.push(...of(record[3]));
}

function readSubmodule(field: string): readonly SubmoduleChange[] | undefined {
  if (!field.startsWith("S")) return undefined;
  const states = { C: "other commit", M: "modified content", U: "untracked files" } as const;
  return Array.from(field.slice(1), (letter) => states[letter as keyof typeof states] ?? []).flat();
}

/** Returns the text after the first `count` fields: a path may have spaces. */
function fieldsFrom(record: string, count: number): string {
  let start = 0;
  for (let field = 0; field < count; field += 1) start = record.indexOf(" ", start) + 1;
  return record.slice(start);
}
