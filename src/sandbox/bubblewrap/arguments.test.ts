import { expect, it } from "vitest";
import { type BubblewrapProfile, bubblewrapArguments } from "./arguments.ts";
import { mountsOf, type SandboxView } from "./mounts.ts";

const profile: BubblewrapProfile = {
  mounts: [
    { show: "read-only", source: "/", target: "/" },
    { show: "devices", target: "/dev" },
    { show: "processes", target: "/proc" },
    { show: "blank", target: "/home", permissions: "755" },
    { show: "writable", source: "/state/home", target: "/home/me" },
    { show: "read-only", source: "/dev/null", target: "/home/me/work/.env" },
  ],
  cwd: "/home/me/work",
  keepsNetwork: false,
  variables: { PATH: "/usr/bin", GREETING: "a-b" },
  seccomp: 4,
  forbidsUserNamespaces: true,
  memoryBytes: 1000,
};

it("converts a profile to bubblewrap arguments", () => {
  expect(bubblewrapArguments(profile)).toEqual([
    ...["--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"],
    ...["--die-with-parent", "--new-session"],
    ...["--ro-bind-try", "/", "/", "--dev", "/dev", "--proc", "/proc", "--perms", "755", "--tmpfs", "/home"],
    ...["--bind-try", "/state/home", "/home/me", "--ro-bind-try", "/dev/null", "/home/me/work/.env"],
    ...["--perms", "1777", "--size", "1000", "--tmpfs", "/dev/shm"],
    ...["--setenv", "PATH", "/usr/bin", "--setenv", "GREETING", "a-b"],
    ...["--chdir", "/home/me/work", "--seccomp", "4"],
  ]);
});

it("leaves the ban on user namespaces to seccomp, and /dev/shm as it is, when bubblewrap is too old for them", () => {
  const all = bubblewrapArguments(profile);
  expect(bubblewrapArguments({ ...profile, forbidsUserNamespaces: false })).toEqual(
    all
      .join(" ")
      .replace(" --disable-userns", "")
      .replace(" --perms 1777 --size 1000 --tmpfs /dev/shm", "")
      .split(" "),
  );
});

const view: SandboxView = {
  workspace: "/home/me/work",
  isWorkspaceReadOnly: false,
  kernelSettings: ["/proc/sys"],
  copies: [],
  replaced: [
    { source: "/state/temporary", target: "/tmp" },
    { source: "/state/home", target: "/home/me" },
  ],
  blank: ["/home"],
  readable: ["/home/me/.cargo", "/home"].map((path) => ({ source: path, target: path })),
  isMachineVisible: true,
  links: [{ path: "/bin", to: "usr/bin" }],
  writable: ["/home/me"],
  held: ["/home/me/work/.git"],
  readOnly: ["/home/me/work/.git/hooks", "/home/me/work/.vscode"],
  substitutes: [{ source: "/state/info", target: "/home/me/work/.git/info" }],
  hidden: [
    { path: "/home/me/work/.env", kind: "file" },
    { path: "/home/me/work/fifo.key", kind: "file" },
    { path: "/home/me/work/secrets", kind: "directory" },
  ],
  covers: new Map([["/home/me/work/.env", "/state/cover"]]),
};

const shown = (target: string, show: "read-only" | "writable") => ({ show, source: target, target });

it("mounts a directory before its contents, and hidden entries last", () => {
  expect(mountsOf(view)).toEqual([
    shown("/", "read-only"),
    { show: "devices", target: "/dev" },
    { show: "processes", target: "/proc" },
    shown("/proc/sys", "read-only"),
    { show: "blank", target: "/home", permissions: "755" },
    { show: "writable", source: "/state/temporary", target: "/tmp" },
    shown("/home", "read-only"),
    { show: "writable", source: "/state/home", target: "/home/me" },
    shown("/home/me", "writable"),
    shown("/home/me/.cargo", "read-only"),
    shown("/home/me/work", "writable"),
    shown("/home/me/work/.git", "writable"),
    shown("/home/me/work/.vscode", "read-only"),
    shown("/home/me/work/.git/hooks", "read-only"),
    { show: "read-only", source: "/state/info", target: "/home/me/work/.git/info" },
    { show: "read-only", source: "/state/cover", target: "/home/me/work/.env" },
    { show: "read-only", source: "/dev/null", target: "/home/me/work/fifo.key" },
    { show: "blank", target: "/home/me/work/secrets", permissions: "000" },
  ]);
});

it("keeps home and temporary directory private when the whole disk is the workspace", () => {
  expect(mountsOf({ ...view, workspace: "/" }).slice(0, 6)).toEqual([
    shown("/", "writable"),
    { show: "devices", target: "/dev" },
    { show: "processes", target: "/proc" },
    shown("/proc/sys", "read-only"),
    { show: "blank", target: "/home", permissions: "755" },
    { show: "writable", source: "/state/temporary", target: "/tmp" },
  ]);
});
