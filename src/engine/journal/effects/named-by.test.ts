import { expect, it } from "vitest";
import type { ToolAccess } from "../../../contract/access.ts";
import { namedBy } from "./named-by.ts";

const files = ["src/a.ts", "src/deep/b.ts", "srcs/c.ts", "docs/my notes.md", "d"];

it.each<[named: readonly string[], access: ToolAccess]>([
  [["src/a.ts", "src/deep/b.ts"], { kind: "execute", command: "rm -rf src" }],
  [["src/a.ts", "src/deep/b.ts"], { kind: "execute", command: "sed -i 's/x/y/' /work/src/*.ts" }],
  [["src/deep/b.ts", "d"], { kind: "execute", command: 'cd src/deep;rm "./b.ts"&&>../d cat</work/d' }],
  [["srcs/c.ts"], { kind: "execute", command: "rm c.ts ../../d", cwd: "srcs" }],
  [["src/deep/b.ts"], { kind: "execute", command: "true", cwd: "/work/src/deep" }],
  [files, { kind: "execute", command: "find . -delete" }],
  [files, { kind: "execute", command: "rm -rf *" }],
  [files, { kind: "execute", command: "rm -rf /work" }],
  [[], { kind: "execute", command: "make all --jobs=2 > /dev/null" }],
  [["docs/my notes.md"], { kind: "delete", path: "docs" }],
  [["docs/my notes.md"], { kind: "write", path: "/work/docs/my notes.md" }],
  [[], { kind: "read", path: "src" }],
])("finds %j named by %j", (named, access) => {
  expect(files.filter(namedBy([access], "/work"))).toEqual(named);
});
