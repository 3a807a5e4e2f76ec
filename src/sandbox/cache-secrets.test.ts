import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { CacheSecrets } from "./cache-secrets.ts";

const judge = { isHidden: (path: string) => path.includes("credentials"), isReadOnly: () => false };

it("finds secrets at the top of caches, including those added later", async () => {
  await using folder = temporaryFolder();
  const cache = join(folder.path, "cargo");
  mkdirSync(join(cache, "registry"), { recursive: true });
  writeFileSync(join(cache, "registry", "credentials"), "");
  const secrets = new CacheSecrets();
  const find = () => secrets.in([cache, join(folder.path, "missing")], judge);
  const before = find();
  writeFileSync(join(cache, "credentials.toml"), "");
  mkdirSync(join(cache, "credentials"));
  utimesSync(cache, 0, 0);
  expect([before, find(), secrets.in([cache], { ...judge, isHidden: () => false })]).toEqual([
    [],
    [
      { path: join(cache, "credentials"), kind: "directory" },
      { path: join(cache, "credentials.toml"), kind: "file" },
    ],
    [],
  ]);
});
