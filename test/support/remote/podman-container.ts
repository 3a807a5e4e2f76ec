import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { neededPackages } from "../debian-packages.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A running container of the real podman and runc, whose root filesystem is made of folders of this machine. */
export interface PodmanContainer extends AsyncDisposable {
  readonly name: string;
  /** The settings with which `podman` finds the container. Its storage is its own. */
  readonly variables: Readonly<Record<string, string>>;
  /** Returns the path on this machine of a path in the container. */
  here(path: string): string;
}

/** Works as root, and as any user who may create user namespaces. */
export function podmanContainer(): PodmanContainer {
  const temporary = temporaryFolder();
  const at = (name: string) => join(temporary.path, name);
  for (const name of ["root", "storage", "run", "home"]) mkdirSync(at(name));
  const mounts = makeRoot(at("root"));
  writeFileSync(
    at("containers.conf"),
    [
      "[engine]",
      ...['runtime = "runc"', 'cgroup_manager = "cgroupfs"', 'events_logger = "none"', 'lock_type = "file"'],
      `tmp_dir = ${JSON.stringify(at("run"))}`,
      "[containers]",
      // The limits of this process may be above those that a new container may have.
      ...['netns = "none"', 'default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]'],
    ].join("\n"),
  );
  const storage = JSON.stringify(at("storage"));
  writeFileSync(
    at("storage.conf"),
    [
      ...["[storage]", 'driver = "vfs"', `graphroot = ${storage}`, `rootless_storage_path = ${storage}`],
      `runroot = ${JSON.stringify(at("run"))}`,
    ].join("\n"),
  );
  const variables = {
    CONTAINERS_CONF: at("containers.conf"),
    CONTAINERS_STORAGE_CONF: at("storage.conf"),
    // podman of an ordinary user keeps more files there.
    XDG_CONFIG_HOME: at("home"),
    XDG_RUNTIME_DIR: at("run"),
  };
  const env = { ...process.env, ...variables };
  const name = "test-container";
  const remove = async () => {
    spawnSync("podman", ["rm", "-f", "-t", "0", name], { env, stdio: "ignore" });
    // They clean up after the container, and create folders to do so.
    await vi.waitUntil(() => !isInUse(temporary.path), { timeout: 60_000, interval: 50 });
    // podman of an ordinary user leaves a process that keeps its user namespace.
    if (existsSync(at("run/pause.pid"))) process.kill(Number(readFileSync(at("run/pause.pid"), "utf8")));
    await temporary[Symbol.asyncDispose]();
  };
  const words = ["run", "-d", "--name", name, "--env", "HOME=/root", "--env", "PATH=/node:/usr/bin:/bin"];
  try {
    execFileSync("podman", [...words, ...mounts, "--rootfs", at("root"), "/bin/sleep", "1000000"], {
      ...{ env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
    });
  } catch (error) {
    void remove();
    throw error;
  }
  return { name, variables, here: (path) => join(at("root"), path), [Symbol.asyncDispose]: remove };
}

/** Whether a program runs that has this path among its arguments. */
function isInUse(path: string): boolean {
  return execFileSync("ps", ["-eo", "args="], { encoding: "utf8" }).includes(path);
}

/** Returns the mounts of the programs of this machine, and of the Node that runs the tests. */
function makeRoot(root: string): readonly string[] {
  const folders = ["usr", "node", "tmp", "proc", "dev", "sys", "etc", "root", "run", "var/tmp", "workspace"];
  for (const name of folders) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\n");
  const sources: [from: string, to: string][] = [
    ["/usr", "/usr"],
    [dirname(process.execPath), "/node"],
  ];
  for (const path of ["/bin", "/lib", "/lib64", "/sbin"].filter((one) => existsSync(one))) {
    if (lstatSync(path).isSymbolicLink()) symlinkSync(readlinkSync(path), join(root, path));
    else sources.push([path, path]);
  }
  return sources.flatMap(([from, to]) => ["--mount", `type=bind,source=${from},target=${to},readonly`]);
}

/** Why tests with podman are skipped; undefined when it works. */
export const podmanMissing: string | undefined = await findReason();

async function findReason(): Promise<string | undefined> {
  const needed = neededPackages(["podman", "runc"]);
  if (needed !== undefined) return needed;
  try {
    await podmanContainer()[Symbol.asyncDispose]();
    return undefined;
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    return `podman cannot start a container: ${stderr?.trim().split("\n").at(-1)}`;
  }
}
