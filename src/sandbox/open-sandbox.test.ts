import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { failure, failureOf } from "../environment/conformance/world.ts";
import { programUnavailable } from "../system/file-errors.ts";
import { openSandbox } from "./open-sandbox.ts";

const findProgram = async (name: string) => {
  throw programUnavailable(name);
};

it("returns no sandbox when none is requested", async () => {
  await using folder = temporaryFolder();
  const sandbox = await openSandbox({
    ...{ want: "none", directory: join(folder.path, "state"), workspace: folder.path, findProgram },
  });
  expect([sandbox.level, sandbox.report.missing]).toEqual(["none", []]);
});

it("refuses a named level that the system does not support", async () => {
  await using folder = temporaryFolder();
  const want = process.platform === "darwin" ? "landlock" : "seatbelt";
  const opened = openSandbox({
    want,
    directory: join(folder.path, "state"),
    workspace: folder.path,
    findProgram,
  });
  expect(await failureOf(opened)).toEqual(
    failure(
      "unavailable",
      `The sandbox "${want}" is not available. There is no such sandbox for ${process.platform}.`,
      'Use "auto" for the strongest sandbox that works here.',
    ),
  );
});

it("never chooses the untried sandbox of macOS by itself", async () => {
  await using folder = temporaryFolder();
  const options = { directory: join(folder.path, "state"), workspace: folder.path, findProgram };
  const chosen = await openSandbox({ ...options, want: "auto" }, "darwin");
  expect([chosen.level, chosen.report.missing]).toEqual([
    "none",
    [expect.stringMatching(/--target docker:NAME.*sandbox = "seatbelt".*untried/)],
  ]);
  // The name alone tries it, which fails on another system.
  const named = await failureOf(openSandbox({ ...options, want: "seatbelt" }, "darwin"));
  expect(named).toMatchObject({ code: "unavailable" });
});
