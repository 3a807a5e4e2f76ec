import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type CommandTarget, commandTarget } from "../../../test/support/remote/command-target.ts";
import { EchoClient } from "../../../test/support/remote/echo-client.ts";
import { targetProgramsWith } from "../../../test/support/remote/target-programs.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { connectTarget } from "./connect-target.ts";
import { parseTarget, type Target } from "./target.ts";
import type { TargetPrograms } from "./target-programs.ts";

let programs: TargetPrograms;
beforeAll(async () => {
  programs = await targetProgramsWith(
    new URL("../../../test/support/remote/echo-server.ts", import.meta.url),
  );
  // Otherwise the Node of this machine is found.
  programs = {
    ...programs,
    bootstrap: programs.bootstrap.replace(/^ *\/usr\/local\/bin\/node .*; do$/m, "; do"),
  };
});

const installed = ["/bin/sh", "/bin/dash", "/bin/bash", "/bin/busybox"].filter((path) => existsSync(path));
/** Without another name of the same program; but bash behaves differently as sh. */
const shells = installed.filter(
  (path) => path !== "/bin/dash" || realpathSync(path) !== realpathSync("/bin/sh"),
);
const needed = ["dd", "id", "uname", "mkdir", "chmod", "cat", "mv", "rm", "sh", "env", "head"];

/** A target whose PATH has only what bootstrap.sh needs, and the given programs. */
function bareTarget(nodes: Readonly<Record<string, string>> = {}, shell = "/bin/sh"): CommandTarget {
  const there = commandTarget(`PATH="$HOME/bin"; export PATH; unset SHELL`);
  const bin = join(there.home, "bin");
  mkdirSync(bin);
  for (const name of needed) {
    const file = ["/usr/bin", "/bin"].map((folder) => join(folder, name)).find((path) => existsSync(path));
    if (name === "sh") {
      const words = shell.endsWith("busybox") ? `${shell} sh` : shell;
      writeFileSync(join(bin, name), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
    } else if (file !== undefined) symlinkSync(file, join(bin, name));
  }
  for (const [name, text] of Object.entries(nodes)) {
    mkdirSync(join(there.home, name, ".."), { recursive: true });
    writeFileSync(join(there.home, name), text);
    chmodSync(join(there.home, name), 0o755);
  }
  return there;
}

/** The same target with a login shell: the program `my-shell`. */
function withLoginShell({ home }: CommandTarget): Target {
  const words = [join(home, "../transport"), "env", `SHELL=${join(home, "my-shell")}`];
  return parseTarget(`command:${words.map(shellQuote).join(" ")}`);
}

const realNode = `#!/bin/sh\nexec ${shellQuote(process.execPath)} "$@"\n`;
const oldNode = "#!/bin/sh\necho v18.19.0\n";

describe("bootstrap.sh", () => {
  it.each(shells)(
    "is valid for %s, and finds the Node of nvm behind an old one",
    { tags: "slow" },
    async (shell) => {
      const check = shell.endsWith("busybox") ? ["sh", "-n"] : ["-n"];
      execFileSync(shell, check, { input: programs.bootstrap });
      await using there = bareTarget(
        { "bin/node": oldNode, ".nvm/versions/node/v24.1.0/bin/node": realNode },
        shell,
      );
      const channel = await connectTarget(there.target, { programs, directory: there.workspace });
      expect(await new EchoClient(channel).ask("a")).toBe("a");
      await channel.close();
    },
  );

  it("asks login shells for Node, whatever they print, and leave running", { tags: "slow" }, async () => {
    await using there = bareTarget({
      "my-shell": [
        ...["#!/bin/sh", 'echo "Welcome to /this machine"', "/bin/sleep 60 &", 'echo $! > "$HOME/sleep"'],
        ...['PATH=$HOME/hidden:$PATH; eval "$2"', 'echo "Good bye"'],
      ].join("\n"),
      "hidden/node": realNode,
    });
    const channel = await connectTarget(withLoginShell(there), { programs, directory: there.workspace });
    expect(await new EchoClient(channel).ask("a")).toBe("a");
    await channel.close();
    process.kill(Number(readFileSync(join(there.home, "sleep"), "utf8")), "SIGKILL");
  });

  it("does not wait for a login shell that hangs", async () => {
    await using there = bareTarget({ "my-shell": "#!/bin/sh\n/bin/sleep 60\n" });
    symlinkSync("/usr/bin/timeout", join(there.home, "bin/timeout"));
    const bootstrap = programs.bootstrap.replace("KILL 20", "KILL 0.1");
    const target = withLoginShell(there);
    const error = await connectTarget(target, { programs: { ...programs, bootstrap } }).catch((one) => one);
    expect(error).toMatchObject({ message: `${target.name} has no Node 22.18 or newer.` });
  });

  it("does not wait for a target that says nothing when a Node is sent", { tags: "slow" }, async () => {
    await using there = bareTarget({
      once: '#!/bin/sh\n[ -e "$0.done" ] && exec /bin/sleep 60\n: > "$0.done"\nexec "$@"\n',
      "sent-node": "\x7fELF",
    });
    const words = [join(there.home, "once"), join(there.home, "../transport")];
    const target = parseTarget(`command:${words.map(shellQuote).join(" ")}`);
    // Nothing of this file is sent.
    const options = { programs, uploadNode: join(there.home, "sent-node"), connectMs: 3000 };
    const error = await connectTarget(target, options).catch((one: unknown) => one);
    expect(error).toMatchObject({
      code: "timeout",
      message: `${target.name} did not answer in 3 s`,
    });
  });

  it("says that Node is missing or too old, and that one can be sent", { tags: "slow" }, async () => {
    await using there = bareTarget({ "bin/node": oldNode, "bin/nodejs": oldNode });
    const error = await connectTarget(there.target, { programs }).catch((one: unknown) => one);
    expect(error).toMatchObject({
      code: "unavailable",
      message: `${there.target.name} has no Node 22.18 or newer. It has Node 18.19.`,
      forUser: { hint: expect.stringContaining("--upload-node FILE") },
    });
  });

  it("stores a Node that the user sends, once", { tags: "slow" }, async () => {
    await using there = bareTarget();
    const steps: string[] = [];
    const options = {
      ...{ programs, directory: there.workspace, uploadNode: process.execPath },
      onProgress: (step: string) => steps.push(step.replace(there.target.name, "there").replace(/, .*/, "")),
    };
    const first = await connectTarget(there.target, options);
    expect(await new EchoClient(first).ask("a")).toBe("a");
    await first.close();
    await (await connectTarget(there.target, options)).close();
    expect(steps.filter((step) => step.startsWith("Sending Node"))).toEqual(["Sending Node to there"]);
    expect(readdirSync(join(there.folder, "node"))).toEqual([expect.stringMatching(/^[\da-f]{64}$/)]);
  });

  it("refuses to send a Node for another processor, or another file", { tags: "slow" }, async () => {
    await using there = bareTarget();
    const file = join(there.home, "../node");
    const elf = Buffer.alloc(64);
    elf.write("\x7fELF", "latin1");
    elf.writeUInt16LE(process.arch === "arm64" ? 62 : 183, 18);
    writeFileSync(file, elf);
    const send = (uploadNode: string) =>
      connectTarget(there.target, { programs, uploadNode }).catch((one: Error) => one.message);
    expect([await send(file), await send(join(there.home, "../transport"))]).toEqual([
      expect.stringMatching(/ is for (?:x86_64|aarch64), and the target is /),
      expect.stringMatching(/ is not an executable for Linux or macOS$/),
    ]);
  });
});

describe("container programs", () => {
  // Stand-ins that check the arguments and run the command here: no cluster and no container engine is needed.
  it.each([
    ["kubernetes:space/pod/box", "kubectl", "exec -i -n space pod -c box --"],
    ["devcontainer:/some/folder", "devcontainer", "exec --workspace-folder /some/folder"],
    ["podman:outer+docker:inner", "podman", "exec -i outer docker exec -i inner"],
  ])(
    "are called with the arguments that they take: %s (stand-in)",
    { tags: "slow" },
    async (text, program, expected) => {
      await using there = commandTarget();
      const words = expected.split(" ");
      const bin = join(there.home, "../bin");
      mkdirSync(bin);
      const check = words.map((word) => `[ "$1" = ${shellQuote(word)} ] || exit 9; shift`).join("\n");
      writeFileSync(
        join(bin, program),
        `#!/bin/sh\n${check}\nexec ${shellQuote(join(there.home, "../transport"))} "$@"\n`,
        { mode: 0o755 },
      );
      const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
      const channel = await connectTarget(parseTarget(text), { programs, env, directory: there.workspace });
      expect(await new EchoClient(channel).ask("a")).toBe("a");
      await channel.close();
    },
  );
});
