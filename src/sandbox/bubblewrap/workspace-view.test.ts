import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openHoldBack } from "../../engine/sandbox/hold-back.ts";
import type { Visible } from "../../engine/sandbox/visible.ts";
import { openPrivateDirectories } from "../private-directories.ts";
import { RepositoryWatch } from "../repository-watch.ts";
import { WorkspaceView } from "./workspace-view.ts";

const nothing: Visible = {
  ...{ system: [], links: [], toolChains: [], secrets: [], homes: [], temporaryDirectories: [] },
  isWhole: false,
};

/** The mounts that replace the homes and temporary directories of a fake machine, and the hidden paths. */
async function viewOf(folder: string, workspace: string, machine: Partial<Visible>) {
  const directory = join(folder, "state");
  const privates = openPrivateDirectories(directory);
  const view = new WorkspaceView({
    ...{ workspace, directory, privates },
    holdBack: openHoldBack({ workspace, directory }),
    repositories: new RepositoryWatch({ workspace, folder: join(directory, "repositories") }),
    visible: { ...nothing, ...machine },
  });
  const opened = await view.open({ isHidden: (path) => path.endsWith("/.env") }, "/bin/sh");
  await opened.end();
  const { replaced, hidden, readable } = opened.view;
  return {
    replaced: replaced.map(({ target }) => target),
    readable: readable.map(({ target }) => target),
    hidden: hidden.map(({ path }) => path).filter((path) => path !== directory),
  };
}

it("keeps a home inside the workspace private, and leaves the workspace's temporary directory as it is", async () => {
  await using folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  for (const path of ["home/me", "work/own"]) {
    mkdirSync(at(path), { recursive: true });
    writeFileSync(at(`${path}/.env`), "");
  }
  mkdirSync(at("home/me/.cargo"));
  const cargo = at("home/me/.cargo");
  const machine = {
    homes: [at("home/me")],
    temporaryDirectories: ["/tmp", at("work/own")],
    toolChains: [{ source: cargo, target: cargo }],
  };
  expect([
    await viewOf(folder.path, at("home"), machine),
    await viewOf(folder.path, at("home/me"), machine),
    await viewOf(folder.path, at("work"), machine),
  ]).toEqual([
    { replaced: ["/tmp", at("work/own"), at("home/me")], readable: [at("home/me/.cargo")], hidden: [] },
    { replaced: ["/tmp", at("work/own")], readable: [], hidden: [at("home/me/.env")] },
    { replaced: ["/tmp", at("home/me")], readable: [at("home/me/.cargo")], hidden: [at("work/own/.env")] },
  ]);
});

it("refuses a grant that is too large to scan for secrets, and reports it", async () => {
  await using folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  for (const path of ["work", "home/small", "home/large/a", "home/large/b", "read/a/b", "written/a/b"])
    mkdirSync(at(path), { recursive: true });
  const view = new WorkspaceView({
    ...{ workspace: at("work"), directory: at("state"), maxGranted: 2 },
    privates: openPrivateDirectories(at("state")),
    holdBack: openHoldBack({ workspace: at("work"), directory: at("state") }),
    repositories: new RepositoryWatch({ workspace: at("work"), folder: at("state/repositories") }),
    visible: { ...nothing, homes: [at("home")], isWhole: true },
  });
  const readable = [at("home/large"), at("read")];
  const opened = await view.open({ readable, writable: [at("home/small"), at("written")] }, "/bin/sh");
  expect([opened.view.readable, opened.view.writable, await opened.end()]).toEqual([
    [],
    [at("home/small")],
    // A read grant for a path that is readable anyway needs no remark.
    [
      `The command may not write ${at("written")}: it is too large to scan for secrets. Allow a narrower directory.`,
      `The command may not read or write ${at("home/large")}: it is too large to scan for secrets. Allow a narrower directory.`,
    ],
  ]);
});

it("grants what a command without rules may use, even if it only reads", async () => {
  await using folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  for (const path of ["work", "home/read", "home/written"]) mkdirSync(at(path), { recursive: true });
  const view = new WorkspaceView({
    ...{ workspace: at("work"), directory: at("state") },
    privates: openPrivateDirectories(at("state")),
    holdBack: openHoldBack({ workspace: at("work"), directory: at("state") }),
    repositories: new RepositoryWatch({ workspace: at("work"), folder: at("state/repositories") }),
    visible: { ...nothing, homes: [at("home")] },
  });
  const grants = { readable: [at("home/read")], writable: [at("home/written")] };
  const opened = await view.open({ readsOnly: true, ...grants }, "/bin/sh");
  await opened.end();
  expect([opened.view.readable.map(({ target }) => target), opened.view.writable]).toEqual([
    grants.readable,
    grants.writable,
  ]);
});

it("hides Toolcrib's own directories, wherever they are", async () => {
  await using folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  for (const path of ["work", "config", "home/config"]) mkdirSync(at(path), { recursive: true });
  const view = new WorkspaceView({
    ...{ workspace: at("work"), directory: at("state"), own: ["config", "home/config", "missing"].map(at) },
    privates: openPrivateDirectories(at("state")),
    holdBack: openHoldBack({ workspace: at("work"), directory: at("state") }),
    repositories: new RepositoryWatch({ workspace: at("work"), folder: at("state/repositories") }),
    visible: { ...nothing, homes: [at("home")], isWhole: true },
  });
  const opened = await view.open({}, "/bin/sh");
  await opened.end();
  expect(opened.view.hidden.map(({ path }) => path)).toEqual([at("state"), at("config")]);
});

it("does not watch protected paths of a read-only workspace", async () => {
  await using folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  for (const path of ["work/.git/hooks", "work/.git/info"]) mkdirSync(at(path), { recursive: true });
  for (const path of ["work/.git/HEAD", "work/.git/commondir", "work/.env"]) writeFileSync(at(path), ".");
  const view = new WorkspaceView({
    ...{ workspace: at("work"), directory: at("state") },
    privates: openPrivateDirectories(at("state")),
    holdBack: openHoldBack({ workspace: at("work"), directory: at("state") }),
    repositories: new RepositoryWatch({ workspace: at("work"), folder: at("state/repositories") }),
    visible: nothing,
  });
  const coveredIn = async (confinement: { readsOnly?: true }) => {
    const opened = await view.open({ isHidden: (path) => path.endsWith("/.env"), ...confinement }, "/bin/sh");
    await opened.end();
    return opened.covered;
  };
  expect(await coveredIn({})).toEqual(expect.arrayContaining([at("work/.git/commondir"), at("work/.env")]));
  expect(await coveredIn({ readsOnly: true })).toEqual([at("work/.env")]);
});
