import type { Mount } from "./mounts.ts";

type Variables = Readonly<Record<string, string>>;

export interface BubblewrapProfile {
  /** The mounts in order. Each is made on top of the earlier ones. */
  readonly mounts: readonly Mount[];
  readonly cwd: string;
  readonly variables: Variables;
  /** The descriptor of the seccomp program. Undefined for the view of git, whose first program sets the view up. */
  readonly seccomp: number | undefined;
  /** Passes `--disable-userns`, which bubblewrap has since 0.8. The seccomp program refuses user namespaces as well. */
  readonly forbidsUserNamespaces: boolean;
  /** The size of the file system at /dev/shm. Only a bubblewrap that has `--disable-userns` can set it. */
  readonly memoryBytes: number;
  /** Whether the program stays in the network namespace in which bubblewrap is started. */
  readonly keepsNetwork: boolean;
}

/** Returns all arguments except the program, which follows after `--`. */
export function bubblewrapArguments(profile: BubblewrapProfile): readonly string[] {
  return [
    ...["--unshare-all", ...(profile.keepsNetwork ? ["--share-net"] : []), "--unshare-user"],
    ...(profile.forbidsUserNamespaces ? ["--disable-userns"] : []),
    ...["--cap-drop", "ALL", "--die-with-parent", "--new-session"],
    ...(profile.seccomp === undefined ? ["--cap-add", "CAP_SYS_ADMIN"] : []),
    ...profile.mounts.flatMap(mountArguments),
    ...(profile.forbidsUserNamespaces
      ? ["--perms", "1777", "--size", String(profile.memoryBytes), "--tmpfs", "/dev/shm"]
      : []),
    // Without a mount at "/", bubblewrap's own empty root is writable until here.
    ...(profile.mounts.some(({ target }) => target === "/") ? [] : ["--remount-ro", "/"]),
    ...Object.entries(profile.variables).flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--chdir", profile.cwd],
    ...(profile.seccomp === undefined ? [] : ["--seccomp", String(profile.seccomp)]),
  ];
}

function mountArguments(mount: Mount): readonly string[] {
  switch (mount.show) {
    case "writable":
      return ["--bind-try", mount.source, mount.target];
    case "read-only":
      return ["--ro-bind-try", mount.source, mount.target];
    case "blank":
      return ["--perms", mount.permissions, "--tmpfs", mount.target];
    case "link":
      return ["--symlink", mount.to, mount.target];
    case "devices":
      return ["--dev", mount.target];
    case "plain devices":
      return [
        ...["--tmpfs", mount.target],
        ...["null", "zero", "full", "random", "urandom", "tty"].flatMap((name) => {
          const path = `${mount.target}/${name}`;
          return ["--dev-bind-try", path, path];
        }),
        ...Object.entries({ fd: "", stdin: "/0", stdout: "/1", stderr: "/2" }).flatMap(([name, number]) => [
          ...["--symlink", `/proc/self/fd${number}`, `${mount.target}/${name}`],
        ]),
      ];
    case "processes":
      return ["--proc", mount.target];
  }
}

/**
 * Separates the variables to set `late`, for the program alone: those that loaders and shells obey before the program
 * begins, and those whose names a shell would not pass on.
 */
export function splitVariables(env: Variables): {
  readonly early: Variables;
  readonly late: readonly string[];
} {
  const isLate = (name: string) =>
    /^(?:LD_|BASH|MALLOC_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|SHELLOPTS$|ENV$|IFS$|PS4$)|\W/.test(name);
  return {
    early: onlyNamed(env, (name) => !isLate(name)),
    late: Object.entries(onlyNamed(env, isLate)).map(([name, value]) => `${name}=${value}`),
  };
}

export function withGitSettings(env: Variables, settings: Variables): Variables {
  const count = Number.parseInt(env.GIT_CONFIG_COUNT ?? "0", 10) || 0;
  const added = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${count + index}`, key],
    [`GIT_CONFIG_VALUE_${count + index}`, value],
  ]);
  const total = String(count + Object.keys(settings).length);
  return { ...env, GIT_CONFIG_COUNT: total, ...Object.fromEntries(added) };
}

/** Returns the variables by which Toolcrib finds the processes of a run. */
export function marksIn(env: Variables): Variables {
  return onlyNamed(env, (name) => name.startsWith("TOOLCRIB_"));
}

export function withoutMarks(env: Variables): Variables {
  return onlyNamed(env, (name) => !name.startsWith("TOOLCRIB_"));
}

function onlyNamed(env: Variables, isWanted: (name: string) => boolean): Variables {
  return Object.fromEntries(Object.entries(env).filter(([name]) => isWanted(name)));
}
