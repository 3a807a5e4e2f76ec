import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { missingHere } from "../../test/support/sandbox-fixture.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib } from "./index.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** As in a workspace that is the home directory: settings and compiled code of Toolcrib are in it, or will be. */
async function openHome(sandbox: "bwrap" | "landlock") {
  const folder = temporaryFolder();
  const home = join(folder.path, "home");
  mkdirSync(home);
  vi.stubEnv("TOOLCRIB_HOME", "");
  vi.stubEnv("XDG_CACHE_HOME", join(home, ".cache"));
  const options = { workspace: home, stateDirectory: join(folder.path, "state"), mode: "yolo" } as const;
  const configDirectory = join(home, ".config/toolcrib");
  const opened = openToolcrib({ ...options, configDirectory, sandbox });
  return {
    at: (path: string) => join(home, path),
    crib: opened,
    [Symbol.asyncDispose]: async () => {
      await opened.then(
        (crib) => crib.close(),
        () => undefined,
      );
      await folder[Symbol.asyncDispose]();
    },
  };
}

it.skipIf((await missingHere("bwrap")) !== undefined)(
  "lets no tool write its settings and compiled code in the workspace, even before they exist",
  async () => {
    await using home = await openHome("bwrap");
    const crib = await home.crib;
    const command = `for folder in .cache/toolcrib/compiled .config/toolcrib .cache/other; do
      mkdir -p $folder; : > $folder/planted; mv \${folder%%/*} moved
    done 2> /dev/null; true`;
    expect((await crib.call("shell.run", { command })).error).toBeNull();
    for (const folder of [".cache/toolcrib/compiled", ".config/toolcrib"]) {
      const written = await crib.call("file.write", { path: `${folder}/planted`, content: "" });
      expect([written.error?.code, existsSync(home.at(`${folder}/planted`))]).toEqual(["denied", false]);
    }
    expect([existsSync(home.at(".cache/other/planted")), existsSync(home.at("moved"))]).toEqual([
      true,
      false,
    ]);
  },
);

it.skipIf((await missingHere("landlock")) !== undefined)(
  "cannot use Landlock with its settings in the workspace",
  async () => {
    await using home = await openHome("landlock");
    const call = home.crib.then((crib) => crib.call("shell.run", { command: "true" }));
    const failure = await call.then(
      ({ error }) => error?.message,
      (error: Error) => error.message,
    );
    expect(failure).toContain("Toolcrib's own state is in the workspace");
  },
);
