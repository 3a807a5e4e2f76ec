/** What a program sees and may do in its sandbox, in the words of bubblewrap. */
export interface BubblewrapProfile {
  /** Each on top of those before it. */
  readonly mounts: readonly Mount[];
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The descriptor that the seccomp program is read from. */
  readonly seccomp: number;
  /** `--disable-userns`, which bubblewrap knows from 0.8 on; the seccomp program refuses them as well. */
  readonly forbidsUserNamespaces: boolean;
}

export type Mount =
  /** `source` as it is outside, seen at `target`; left out when it has vanished. */
  | { readonly show: "writable" | "read-only"; readonly source: string; readonly target: string }
  /** Nothing is in it; it costs a fifth of what is shown from outside. */
  | { readonly show: "blank"; readonly target: string; readonly permissions: "755" | "555" | "000" }
  | { readonly show: "devices" | "processes"; readonly target: string };

/** Everything but the program itself, which follows after `--`. */
export function bubblewrapArguments(profile: BubblewrapProfile): readonly string[] {
  return [
    ...["--unshare-all", "--unshare-user"],
    ...(profile.forbidsUserNamespaces ? ["--disable-userns"] : []),
    ...["--cap-drop", "ALL", "--die-with-parent", "--new-session"],
    ...profile.mounts.flatMap(mountArguments),
    ...Object.entries(profile.variables).flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--chdir", profile.cwd],
    ...["--seccomp", String(profile.seccomp)],
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
    case "devices":
      return ["--dev", mount.target];
    case "processes":
      return ["--proc", mount.target];
  }
}
