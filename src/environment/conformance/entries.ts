import { expect, it } from "vitest";
import type { EntryState } from "../../contract/history.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import {
  contentOf,
  failure,
  failureOf,
  missingFailure,
  type OpenWorld,
  specialFailure,
  workspaceFailure,
} from "./world.ts";

const nothing = { kind: "nothing" } as const;
const folder = { kind: "directory", mode: 0o750 } as const;
const link = { kind: "link", target: "no/where" } as const;

const staleFailure = (message: string) =>
  failure("stale", `${message}; nothing was changed`, "Read it again, then change its current content.");

const behindLink = (path: string) =>
  failure(
    "stale",
    `${path} is now behind a link or a file`,
    "List its directories, then use the real path of the file.",
  );

export function testEntries(open: OpenWorld): void {
  it("reports the entry at a path itself", async () => {
    await using world = await open({ files: { "folder/file": "text", empty: "" } });
    const { environment } = world;
    world.link("link", "folder/file");
    world.link("outside", world.outside);
    world.makeSpecial("special");
    await environment.change([
      {
        path: "folder/file",
        before: contentHash(Buffer.from("text")),
        after: Buffer.from("text"),
        mode: 0o640,
      },
    ]);
    expect(await environment.state("folder/file")).toEqual({
      kind: "file",
      hash: contentHash(Buffer.from("text")),
      bytes: 4,
      mode: 0o640,
    });
    expect(await environment.state("link")).toEqual({ kind: "link", target: "folder/file" });
    expect(await environment.state("outside")).toEqual({ kind: "link", target: world.outside });
    expect(await environment.state("none")).toEqual(nothing);
    expect(await environment.state("none/below")).toEqual(nothing);
    expect(await environment.state("folder")).toMatchObject({ kind: "directory" });
    expect(await failureOf(environment.state("special"))).toEqual(specialFailure("special"));
  });

  it("creates, changes and removes directories and links", async () => {
    await using world = await open();
    const { environment } = world;
    await environment.changeEntry("folder", { before: nothing, after: folder });
    await environment.changeEntry("folder/link", { before: nothing, after: link });
    expect(await environment.state("folder")).toEqual(folder);
    expect(await environment.state("folder/link")).toEqual(link);
    await environment.changeEntry("folder", { before: folder, after: { ...folder, mode: 0o777 } });
    expect(await environment.state("folder")).toEqual({ ...folder, mode: 0o777 });
    expect(await contentOf(environment)).toEqual({ folder: "(directory)", "folder/link": "(link)" });
    await environment.changeEntry("folder/link", { before: link, after: nothing });
    await environment.changeEntry("folder", { before: { ...folder, mode: 0o777 }, after: nothing });
    expect(await contentOf(environment)).toEqual({});
  });

  it("changes no entry that differs from the expected one", async () => {
    await using world = await open({ files: { "full/file": "stays", file: "stays" } });
    const { environment } = world;
    const full = { kind: "directory", mode: (await environment.info("full")).mode } as const;
    world.link("link", "elsewhere");
    const attempts = [
      environment.changeEntry("file", { before: nothing, after: folder }),
      environment.changeEntry("link", { before: nothing, after: link }),
      environment.changeEntry("link", { before: link, after: nothing }),
      environment.changeEntry("gone", { before: link, after: nothing }),
      environment.changeEntry("full", { before: { ...full, mode: 0o111 }, after: nothing }),
      environment.changeEntry("full", { before: full, after: nothing }),
      environment.changeEntry("none/folder", { before: nothing, after: folder }),
      environment.changeEntry(".", { before: full, after: folder }),
    ];
    expect(await Promise.all(attempts.map(failureOf))).toEqual([
      staleFailure("file exists now"),
      staleFailure("link exists now"),
      staleFailure("link has changed"),
      staleFailure("gone no longer exists"),
      staleFailure("full has changed"),
      staleFailure("full is not empty"),
      missingFailure("none/folder"),
      workspaceFailure("."),
    ]);
    expect(await contentOf(environment)).toEqual({
      file: "stays",
      full: "(directory)",
      "full/file": "stays",
      link: "(link)",
    });
  });

  it("neither reads nor changes entries behind a link or a file", async () => {
    await using world = await open({ files: { "real/file": "stays" } });
    const { environment } = world;
    world.link("way", "real");
    world.link("out", world.outside);
    world.link("circle", "circle");
    for (const folderOf of ["way", "out", "circle", "real/file"]) {
      const path = `${folderOf}/secret`;
      expect(await environment.state(path)).toEqual(nothing);
      const attempt = environment.changeEntry(path, { before: nothing, after: folder });
      expect(await failureOf(attempt)).toEqual(behindLink(path));
    }
    expect(await environment.state("way/file")).toEqual(nothing);
  });

  it("changes the permissions of an unchanged file", async () => {
    await using world = await open({ files: { file: "text" } });
    const { environment } = world;
    const before = (await environment.state("file")) as Extract<EntryState, { kind: "file" }>;
    const after = { ...before, mode: 0o400 };
    await environment.changeEntry("file", { before, after });
    expect(await environment.state("file")).toEqual(after);
    const again = environment.changeEntry("file", { before, after });
    expect(await failureOf(again)).toEqual(staleFailure("file has changed"));
  });
}
