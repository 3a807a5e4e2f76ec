import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { Snapshot } from "../../../contract/snapshot.ts";
import { PathChecker } from "../../../system/path-checker.ts";
import { ProcPinning } from "../../../system/pinning.ts";
import { joinFigures } from "../../entry-columns.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import { TreeWatch } from "./tree-watch.ts";
import { WatchedSnapshots, type WatchLimits } from "./watched-snapshots.ts";

const canWatch = process.platform === "linux" && spawnSync("perl", ["-e", "0"]).status === 0;
const isOnDisk =
  canWatch && [0xef53, 0x58465342, 0x9123683e, 0x01021994].includes(fs.statfsSync("/tmp").type);

const canConfine = ["bwrap"].every((program) => spawnSync(program, ["--version"]).status === 0);
const canBindMount = spawnSync("unshare", ["-Urm", "mount", "--bind", "/etc", "/mnt"]).status === 0;

const files = [
  "a",
  "d/one",
  "d/two",
  "d/e/three",
  "d/e/new\nline",
  "f/four",
  "f/g/five",
  ".gitignore",
  "f/.gitignore",
];
const directoryCount = 5;

/** A workspace with a watch, which has just scanned everything. */
async function openWatched(limits: Partial<WatchLimits> = {}, prepare?: string) {
  const folder = temporaryFolder();
  const root = join(fs.realpathSync(folder.path), "work space");
  for (const path of files) {
    fs.mkdirSync(join(root, path, ".."), { recursive: true });
    fs.writeFileSync(join(root, path), path.endsWith(".gitignore") ? "ignored\nnode_modules\n" : path);
  }
  for (const path of ["node_modules/p", ".git"]) fs.mkdirSync(join(root, path), { recursive: true });
  const run = (script: string) => void execFileSync("bash", ["-c", script], { cwd: root, stdio: "pipe" });
  if (prepare !== undefined) run(prepare);
  const pinning = new ProcPinning(root, new PathChecker(root, undefined));
  const findPerl = async () => "perl";
  const programs = { now: 0, atOnce: 0, areConfined: true };
  const placeholders = new Map<string, number>();
  const open = () =>
    new WatchedSnapshots({
      ...{ pinning, findPerl, limits: { minEntries: 0, ...limits } },
      programs: () => programs,
      placeholders: () => placeholders,
    });
  const snapshots = open();
  const take = () => snapshots.take([], {});
  for (let count = 0; count < 3; count += 1) await take();
  return {
    root,
    run,
    take,
    programs,
    placeholders,
    snapshots,
    another: open,
    fresh: async () => (await takeSnapshot(pinning, [], {})).snapshot,
    [Symbol.asyncDispose]: async () => {
      await snapshots.close();
      pinning.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Everything in a snapshot, in an order that does not depend on how it was taken. */
function show({ entries: columns, targets, leftOut, contents, repositories }: Snapshot) {
  const paths = [...columns.paths()];
  const entries = paths.map((path, place) => {
    const own = [...joinFigures(columns, place, place + 1)];
    return [path, own.join(" "), targets.get(place), leftOut.get(place)];
  });
  const ranges = Array.from(contents, ([path, { place, first, end }]) => [
    path,
    paths[place],
    paths.slice(first, end).sort(),
  ]);
  return {
    entries: entries.sort(),
    ranges: ranges.sort(),
    repositories: repositories.map(({ path, state }) => [path, state]),
  };
}

const ways: Readonly<Record<string, string>> = {
  "a write": "printf more >> d/one",
  "a rename over a file": "printf new > d/t; mv d/t d/one",
  "the same size and an old time":
    "cp -p d/one /tmp/$$; printf XXXXX > d/one; touch -r /tmp/$$ d/one; rm /tmp/$$",
  "a time in the past": "printf XXXXX > d/one; touch -d 2001-01-01 d/one",
  "permissions of a file and a directory": "chmod 600 d/one; chmod 700 d/e",
  "a second hard link in the workspace": "ln d/e/three f/g/link; printf more >> f/g/link",
  "a hard link that came and went": "ln d/e/three f/g/link; printf more >> f/g/link; rm f/g/link",
  "a hard link that was replaced":
    "ln d/e/three f/g/link; printf more >> f/g/link; printf x > f/t; mv f/t f/g/link",
  "a link in an ignored directory": "ln f/four node_modules/y; printf x >> node_modules/y; rm node_modules/y",
  "a link in git's directory": "ln f/four .git/y; printf x >> .git/y; rm .git/y",
  "a link in a directory that came and went": "mkdir n; ln f/four n/y; printf x >> n/y; rm -r n",
  "a link in a directory that moved":
    "mv node_modules/p node_modules/q; ln f/four node_modules/q/y; printf x >> node_modules/q/y; rm node_modules/q/y",
  "a link that another file replaced":
    "ln f/four node_modules/y; printf x >> node_modules/y; touch node_modules/t; mv node_modules/t node_modules/y",
  "a link that stayed in an ignored directory": "ln f/four node_modules/p/y; printf x >> node_modules/p/y",
  "a directory swapped for a link": "mv d/e ../e; ln -s ../../e d/e; printf more >> ../e/three",
  "a tree that moved": "mv d/e f/e; printf more >> f/e/three",
  "two trees that were swapped": "mv d/e t; mv f/g d/e; mv t f/g; printf more >> f/g/three",
  "a tree that left and changed and returned":
    "mv d ../d; printf more >> ../d/e/three; mkdir ../d/n; mv ../d d",
  "a tree from outside": "mkdir -p ../new/deep; printf x > ../new/deep/file; mv ../new d/new",
  "a directory that was removed and created again": "rm -r d/e; mkdir d/e; printf x > d/e/three",
  "a new directory": "mkdir -p n/e/w; printf x > n/e/w/file",
  "a name with a line feed": "printf more >> d/e/$'new\\nline'",
  "new ignore rules": "printf 'e\\n' > .gitignore; mkdir ignored",
  "a skipped directory": "mkdir f/node_modules; touch f/node_modules/x",
  "a new repository": "git init -q f",
  "a link to elsewhere": "ln -sf /etc d/link; rm a",
};

/** A process of another test that is just ending is a reason to scan everything. */
const patience = { timeout: 60_000, interval: 0 };

describe.skipIf(!isOnDisk)("a watched workspace", () => {
  it.each(Object.entries(ways))("sees %s", async (_, script) => {
    await using watched = await openWatched();
    watched.run(script);
    expect(show(await watched.take())).toEqual(show(await watched.fresh()));
    const three = join(watched.root, "d/e/three");
    if (fs.existsSync(three)) fs.appendFileSync(three, "again");
    expect(show(await watched.take())).toEqual(show(await watched.fresh()));
    expect(show(await watched.take())).toEqual(show(await watched.fresh()));
  });

  it("reads only the directories with changes", async () => {
    await using watched = await openWatched();
    expect(watched.snapshots.lastRead).toBe(directoryCount);
    const counts = {
      true: 0,
      "printf x >> d/one": 1,
      "printf x >> d/e/three; rm -f f/four; touch f/four": 2,
    };
    for (const [script, count] of Object.entries(counts)) {
      const read = async () => {
        watched.run(script);
        await watched.take();
        return [script, watched.snapshots.lastRead];
      };
      await expect.poll(read, patience).toEqual([script, count]);
    }
  });

  it("reads only those after the first snapshot, when an earlier process has taken one", async () => {
    await using watched = await openWatched();
    const known = await watched.fresh();
    const read = async () => {
      const snapshots = watched.another();
      try {
        const first = await snapshots.take([], { known });
        expect(snapshots.lastRead).toBe(directoryCount);
        watched.run("printf x >> d/one");
        expect(show(await snapshots.take([], { like: first, known: first }))).toEqual(
          show(await watched.fresh()),
        );
        return snapshots.lastRead;
      } finally {
        await snapshots.close();
      }
    };
    await expect.poll(read, patience).toBe(1);
  });

  it("starts later when an earlier process has found few files, which are many by now", async () => {
    await using watched = await openWatched({ minEntries: files.length + 3 });
    watched.run("rm -r d");
    const known = await watched.fresh();
    watched.run("mkdir -p d/e; touch d/one d/two d/e/three d/e/four");
    const snapshots = watched.another();
    const pids: (number | undefined)[] = [];
    for (let count = 0; count < 3; count += 1) {
      await snapshots.take([], { known });
      pids.push(snapshots.pid);
    }
    await snapshots.close();
    expect(pids).toEqual([undefined, undefined, expect.any(Number)]);
  });

  it("starts none in a workspace with few files", async () => {
    await using watched = await openWatched({ minEntries: 1000 });
    expect(watched.snapshots.pid).toBeUndefined();
  });

  it("starts none once it is closed, or when the caller has cancelled", async () => {
    await using watched = await openWatched();
    const [closed, cancelled] = [watched.another(), watched.another()];
    const known = await watched.fresh();
    await closed.close();
    await closed.take([], { known });
    const taking = cancelled.take([], { known, signal: AbortSignal.abort() });
    await expect(taking).rejects.toMatchObject({ code: "cancelled" });
    expect([closed.pid, cancelled.pid]).toEqual([undefined, undefined]);
    await cancelled.close();
  });

  it("sees a change through a hard link outside the workspace", async () => {
    await using watched = await openWatched({}, "ln d/e/three ../outside");
    const read = async () => {
      watched.run("printf more >> ../outside");
      expect(show(await watched.take())).toEqual(show(await watched.fresh()));
      return watched.snapshots.lastRead;
    };
    await expect.poll(read, patience).toBe(1);
  });

  it("sees a write to mapped memory, before and after the mapping ends", async () => {
    await using watched = await openWatched();
    const mapping = await startMapping(watched.root, []);
    const read = async () => {
      await mapping.write("X");
      expect(show(await watched.take())).toEqual(show(await watched.fresh()));
      return watched.snapshots.lastRead;
    };
    await expect.poll(read, patience).toBe(1);
    expect(fs.readFileSync(join(watched.root, "d/one"), "utf8")).toBe("X/one");
    await mapping.write("Y");
    await mapping.end();
    expect(show(await watched.take())).toEqual(show(await watched.fresh()));
  });

  it("can ignore mapped files, and sees their changes when they are closed", async () => {
    await using watched = await openWatched();
    const mapping = await startMapping(watched.root, []);
    const take = () => watched.snapshots.take([], { ignoreFilesInUse: true });
    const read = async () => {
      await mapping.write("X");
      await take();
      return watched.snapshots.lastRead;
    };
    await expect.poll(read, patience).toBe(0);
    await mapping.end();
    expect(show(await take())).toEqual(show(await watched.fresh()));
    expect(watched.snapshots.lastRead).toBe(1);
  });

  it("sees a write to mapped memory by a program in a sandbox that makes itself unreadable", async ({
    skip,
  }) => {
    if (!canConfine) return skip("NOT TESTED: bubblewrap is not installed");
    await using watched = await openWatched();
    const mapping = await startMapping(watched.root, ["bwrap", "--unshare-all", "--dev-bind", "/", "/"]);
    await mapping.write("X");
    expect(show(await watched.take())).toEqual(show(await watched.fresh()));
    await mapping.end();
  });

  it("scans everything on a file system whose changes may cause no event", async () => {
    const nfs = 0x6969;
    await using watched = await openWatched({ typeAt: () => nfs });
    watched.run("printf more >> d/one");
    expect(show(await watched.take())).toEqual(show(await watched.fresh()));
    expect(watched.snapshots.lastRead).toBe(directoryCount);
  });

  it("scans everything when the mounts have changed, and after some time", { tags: "slow" }, async () => {
    let mounts = "";
    await using watched = await openWatched({ mounts: () => mounts });
    mounts = "a bind mount";
    await watched.take();
    expect(watched.snapshots.lastRead).toBe(directoryCount);
    await using old = await openWatched({ maxAgeMs: 0 });
    await old.take();
    expect(old.snapshots.lastRead).toBe(directoryCount);
  });

  it("sees a write through a bind mount in another namespace", async ({ skip }) => {
    if (!canBindMount) return skip("NOT TESTED: bind mounts, because this machine allows no user namespaces");
    await using watched = await openWatched();
    const script = "mount --bind d ../elsewhere && printf more >> ../elsewhere/one";
    watched.run(`mkdir ../elsewhere; unshare -Urm sh -c '${script}'`);
    expect(fs.readFileSync(join(watched.root, "d/one"), "utf8")).toBe("d/onemore");
    expect(show(await watched.take())).toEqual(show(await watched.fresh()));
  });

  it("scans everything around bind mounts of its own namespace", { tags: "slow" }, async ({ skip }) => {
    if (!canBindMount) return skip("NOT TESTED: bind mounts, because this machine allows no user namespaces");
    await using watched = await openWatched({}, "mkdir ../other; printf other > ../other/one");
    const program = fileURLToPath(
      new URL("../../../../test/support/journal-scan/bind-mounts-program.ts", import.meta.url),
    );
    const args = [process.execPath, "--disable-warning=ExperimentalWarning", program];
    const folders = [watched.root, join(watched.root, "../other")];
    const printed = execFileSync("unshare", ["-Urm", ...args, ...folders], { encoding: "utf8" });
    expect(JSON.parse(printed)).toEqual([
      ["before", { isWatched: true, isSame: true }],
      ["a mount over a directory", { isWatched: false, isSame: true }],
      ["a write through the other path", { isWatched: false, isSame: true }],
      ["a directory that is mounted twice", { isWatched: false, isSame: true }],
    ]);
  });

  it("sees changes when the folder around the workspace was replaced", async () => {
    await using watched = await openWatched();
    const around = join(watched.root, "..");
    fs.renameSync(around, `${around} old`);
    fs.cpSync(`${around} old`, around, { recursive: true });
    fs.rmSync(`${around} old`, { recursive: true });
    for (const text of ["one", "two"]) {
      fs.writeFileSync(join(watched.root, "d/one"), text);
      expect(show(await watched.take())).toEqual(show(await watched.fresh()));
    }
  });

  it("sees a write to mapped memory that has ended while the file is open", async () => {
    await using watched = await openWatched();
    const child = await startWriting(watched.root, mapAndUnmap);
    const read = async () => {
      await child.write("X");
      expect(show(await watched.take())).toEqual(show(await watched.fresh()));
      return watched.snapshots.lastRead;
    };
    await expect.poll(read, patience).toBe(1);
    await child.end();
  });

  it("scans everything while a program may hold a file that has lost a name", async () => {
    await using watched = await openWatched({}, "ln d/e/three node_modules/name");
    const child = await startWriting(watched.root, writeByLostName);
    Object.assign(watched.programs, { now: 1, atOnce: 1 });
    // The last write is made by a program that ends before the snapshot.
    for (const step of [() => child.write("X"), () => child.write("Y"), () => child.end()]) {
      await step();
      expect(show(await watched.take())).toEqual(show(await watched.fresh()));
    }
  });

  it("scans everything when Perl has ended", async () => {
    await using watched = await openWatched();
    process.kill(watched.snapshots.pid!, "SIGKILL");
    await watched.take();
    expect(watched.snapshots.lastRead).toBe(directoryCount);
  });

  it("scans everything with too many directories, or a second mount of the workspace", async () => {
    const limits: Partial<WatchLimits>[] = [
      { maxDirectories: directoryCount + 1 },
      { maxUserWatches: () => 2 * directoryCount + 2 },
      { mounts: () => "1 0 8:1 / / rw - ext4 x rw\n2 1 8:1 /tmp /mnt rw - ext4 x rw\n" },
    ];
    for (const limit of limits) {
      await using watched = await openWatched(limit);
      expect(watched.snapshots.pid).toBeUndefined();
      await watched.take();
      expect(watched.snapshots.lastRead).toBe(directoryCount);
    }
  });

  it("scans everything while a program may have opened a file by a name that is gone", async () => {
    await using watched = await openWatched();
    const { programs } = watched;
    const counts: number[] = [];
    const steps = [
      { now: 1, script: "ln f/four node_modules/y; rm node_modules/y" },
      { now: 1, script: "true" },
      { now: 0, script: "true" },
    ];
    for (const { now, script } of steps) {
      watched.run(script);
      Object.assign(programs, { now });
      await watched.take();
      counts.push(watched.snapshots.lastRead);
    }
    expect(counts).toEqual([directoryCount, directoryCount, directoryCount]);
    const read = async () => {
      await watched.take();
      return watched.snapshots.lastRead;
    };
    await expect.poll(read, patience).toBe(0);
    programs.areConfined = false;
    await watched.take();
    expect(watched.snapshots.lastRead).toBe(directoryCount);
  });

  it("accepts only placeholders of the one sandbox that ran", { tags: "slow" }, async () => {
    await using watched = await openWatched();
    const count = async (script: string, made: number, atOnce = 1) => {
      watched.run(script);
      watched.placeholders.set(join(watched.root, "d/p"), made);
      Object.assign(watched.programs, { atOnce });
      await watched.take();
      return watched.snapshots.lastRead;
    };
    let made = 0;
    const poll = (script: string) =>
      expect.poll(() => {
        made += 1;
        return count(script, made);
      }, patience);
    await poll("mkdir d/p; rmdir d/p").toBe(1);
    await poll("rmdir d/p 2> /dev/null; mkdir d/p").toBe(2);
    await count("rmdir d/p", made);
    expect(await count("mkdir d/p; rmdir d/p; mkdir d/p; rmdir d/p", made + 1)).toBe(directoryCount);
    expect(await count("mkdir d/p; rmdir d/p", made + 1)).toBe(directoryCount);
    expect(await count("mkdir d/p; rmdir d/p", made + 2, 2)).toBe(directoryCount);
  });

  it("knows that events were lost", async () => {
    await using folder = temporaryFolder();
    const watch = (await TreeWatch.start("perl", folder.path, 10))!;
    process.kill(watch.pid!, "SIGSTOP");
    const most = Number(fs.readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8"));
    const names = [join(folder.path, "a"), join(folder.path, "b")];
    for (const name of names) fs.writeFileSync(name, "");
    for (let count = 0; count <= most; count += 1) fs.chmodSync(names[count % 2]!, 0o600);
    process.kill(watch.pid!, "SIGCONT");
    expect(await watch.changes("files")).toBeUndefined();
    await watch.close();
  });

  it("equals a new snapshot after random changes", { tags: "slow" }, async () => {
    const path = fc.constantFrom("a", "d/one", "d/n", "d/e/three", "d/e", "f", "f/g", "f/g/n", "n");
    const step = fc.oneof(
      path.map((one) => `printf more >> ${one}`),
      path.map((one) => `rm -r ${one}`),
      path.map((one) => `mkdir ${one}`),
      path.map((one) => `chmod 700 ${one}`),
      fc.tuple(path, path).map(([from, to]) => `mv -T ${from} ${to}`),
      fc.tuple(path, path).map(([from, to]) => `ln ${from} ${to}`),
      fc.tuple(path, path).map(([from, to]) => `ln -s ${from} ${to}`),
    );
    const scripts = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 8, maxLength: 8 });
    const property = fc.asyncProperty(scripts, async (some) => {
      await using watched = await openWatched();
      for (const steps of some) {
        watched.run(`exec 2> /dev/null\n${steps.join("\n")}\ntrue`);
        expect(show(await watched.take())).toEqual(show(await watched.fresh()));
      }
    });
    await fc.assert(property, { numRuns: rounds(1) });
  });
});

/** Starts a program that maps d/one. */
function startMapping(root: string, sandbox: readonly string[]) {
  return startWriting(root, mapAndWrite, sandbox);
}

/** Starts a program that prints something when it is ready, and after each byte that it has written. */
async function startWriting(root: string, program: string, sandbox: readonly string[] = []) {
  const [file, ...args] = [...sandbox, "perl", "-e", program];
  const child = spawn(file!, args, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const answer = () => new Promise((resolve) => child.stdout.once("data", resolve));
  const ended = new Promise((resolve) => child.once("close", resolve));
  await answer();
  return {
    write: async (byte: string) => {
      child.stdin.write(byte);
      await answer();
    },
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * Maps a file, makes the process unreadable in a sandbox, and reads each byte of the input into the mapping. The numbers
 * are those of mmap, read and prctl.
 */
const mapAndWrite = `
  my ($map, $read, $control) = (POSIX::uname())[4] eq "x86_64" ? (9, 0, 157) : (222, 63, 167);
  BEGIN { require POSIX }
  $| = 1;
  open(my $file, "+<", "d/one") or die;
  my $at = syscall($map, 0, 4096, 3, 1, fileno($file), 0);
  close $file;
  syscall($control, 4, 0, 0, 0, 0) == 0 or die if $$ < 10;
  do { print "." } while syscall($read, 0, $at, 1) > 0;
`;

/** Writes to a mapped file for every byte of the input, and keeps the file open. The numbers are those of mmap, read and munmap. */
const mapAndUnmap = `
  my ($map, $read, $unmap) = (POSIX::uname())[4] eq "x86_64" ? (9, 0, 11) : (222, 63, 215);
  BEGIN { require POSIX }
  $| = 1;
  open(my $file, "+<", "d/one") or die;
  open(my $zero, "<", "/dev/zero") or die;
  print ".";
  while (sysread(STDIN, my $byte, 1) > 0) {
    my $at = syscall($map, 0, 4096, 3, 1, fileno($file), 0);
    syscall($read, fileno($zero), $at, 1);
    syscall($unmap, $at, 4096);
    print ".";
  }
`;

/** Writes each byte of the input, and one more at its end, to a file of which it has removed a name. */
const writeByLostName = `
  $| = 1;
  open(my $file, ">>", "node_modules/name") or die;
  unlink("node_modules/name") or die;
  do { print "."; syswrite($file, "x") } while sysread(STDIN, my $byte, 1) > 0;
`;
