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
import { oncePerRun } from "../once-per-run.ts";
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
  const home = podmanHome();
  const root = join(home.path, "root");
  const name = "test-container";
  const mounts = makeRoot(root).map(([from, to]) => `type=bind,source=${from},target=${to},readonly`);
  const words = ["run", "-d", "--name", name, "--env", "HOME=/root", "--env", "PATH=/node:/usr/bin:/bin"];
  const remove = async () => {
    home.remove(name);
    await home[Symbol.asyncDispose]();
  };
  try {
    const given = mounts.flatMap((mount) => ["--mount", mount]);
    home.run([...words, ...given, "--rootfs", root, "/bin/sleep", "1000000"]);
  } catch (error) {
    void remove();
    throw error;
  }
  const { variables } = home;
  return { name, variables, here: (path) => join(root, path), [Symbol.asyncDispose]: remove };
}

/** An image of the real podman, whose containers use programs of this machine. */
export interface PodmanImage extends AsyncDisposable {
  readonly image: string;
  /** The settings with which `podman` finds the image. Its storage is its own. */
  readonly variables: Readonly<Record<string, string>>;
  /** Returns the names and states of the containers: `name Up 3 seconds ago`. */
  containers(): readonly string[];
}

export function podmanImage(): PodmanImage {
  const image = "localhost/test-image:1";
  // Folders that every container gets, because commands that start one do not name them.
  const root = temporaryFolder();
  const volumes = makeRoot(root.path).map(([from, to]) => `${from}:${to}:ro`);
  const home = podmanHome([
    `volumes = ${JSON.stringify(volumes)}`,
    'env = ["HOME=/root", "PATH=/node:/usr/bin:/bin"]',
  ]);
  const containers = () =>
    home
      .run(["ps", "-a", "--format", "{{.Names}} {{.Status}}"])
      .split("\n")
      .filter((name) => name !== "");
  const archive = join(home.path, "image.tar");
  // A user namespace may have no other ids.
  execFileSync("tar", [
    "-c",
    "-f",
    archive,
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "-C",
    root.path,
    ".",
  ]);
  home.run(["import", "-q", archive, image]);
  return {
    ...{ image, variables: home.variables, containers },
    [Symbol.asyncDispose]: async () => {
      home.remove("-a");
      await home[Symbol.asyncDispose]();
      await root[Symbol.asyncDispose]();
    },
  };
}

interface PodmanHome extends AsyncDisposable {
  readonly path: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Runs podman. Returns its output. */
  run(args: readonly string[]): string;
  /** Removes a container, or all (`-a`). */
  remove(name: string): void;
}

/** Storage and settings of their own for podman. `settings`: more lines for all containers. */
function podmanHome(settings: readonly string[] = []): PodmanHome {
  const temporary = temporaryFolder();
  const at = (name: string) => join(temporary.path, name);
  for (const name of ["root", "storage", "run", "home"]) mkdirSync(at(name));
  writeFileSync(
    at("containers.conf"),
    [
      "[engine]",
      ...['runtime = "runc"', 'cgroup_manager = "cgroupfs"', 'events_logger = "none"', 'lock_type = "file"'],
      `tmp_dir = ${JSON.stringify(at("run"))}`,
      "[containers]",
      // The limits of this process may be above those that a new container may have.
      ...['netns = "none"', 'default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]', ...settings],
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
  return {
    ...{ path: temporary.path, variables },
    run: (args) => {
      const { status, stdout, stderr } = runPodman(args, env);
      if (status !== 0) throw Object.assign(new Error(`podman ${args.join(" ")}: ${stderr}`), { stderr });
      return stdout;
    },
    remove: (name) => void runPodman(["rm", "-f", "-t", "0", name], env),
    [Symbol.asyncDispose]: async () => {
      // They clean up after containers, and create folders to do so.
      await vi.waitUntil(() => !isInUse(temporary.path), { timeout: 60_000, interval: 50 });
      // podman of an ordinary user leaves a process that keeps its user namespace.
      if (existsSync(at("run/pause.pid"))) process.kill(Number(readFileSync(at("run/pause.pid"), "utf8")));
      await temporary[Symbol.asyncDispose]();
    },
  };
}

/**
 * Runs podman, and once more when it hangs: the podman of an ordinary user starts itself again in a user namespace, and
 * very rarely waits forever for a lock before it has done anything.
 */
function runPodman(args: readonly string[], env: NodeJS.ProcessEnv) {
  const limited = ["--signal=KILL", "90", "podman", ...args];
  const once = () =>
    spawnSync("timeout", limited, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const result = once();
  return result.signal === "SIGKILL" || result.status === 137 ? once() : result;
}

/** Whether a program runs that has this path among its arguments. */
function isInUse(path: string): boolean {
  return execFileSync("ps", ["-eo", "args="], { encoding: "utf8" }).includes(path);
}

/** Returns the folders to mount: the programs of this machine, and the Node that runs the tests. */
function makeRoot(root: string): readonly (readonly [from: string, to: string])[] {
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
  return sources;
}

/** Why tests with podman are skipped; undefined when it works. */
export const podmanMissing: string | undefined = await knownReason();

async function knownReason(): Promise<string | undefined> {
  const folder = await oncePerRun("podman", async (empty) =>
    writeFileSync(join(empty, "reason"), (await findReason()) ?? ""),
  );
  return readFileSync(join(folder, "reason"), "utf8") || undefined;
}

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
