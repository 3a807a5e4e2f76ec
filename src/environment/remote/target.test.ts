import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { parseTarget } from "./target.ts";

const mayAsk = { mayAsk: true };

function commandOf(text: string): readonly string[] {
  return parseTarget(text).commandFor(["sh", "-c", "echo $HOME"], mayAsk);
}

describe("parseTarget", () => {
  const ssh = ["ssh", "-T", "-o", "RemoteCommand=none", "-o", "ClearAllForwardings=yes"];

  it.each<[text: string, name: string, directory: string | undefined, command: readonly string[]]>([
    ["ssh:host", "ssh:host", undefined, [...ssh, "--", "host", "sh -c 'echo $HOME'"]],
    [
      "ssh:me@host:/srv/a b",
      "ssh:me@host:/srv/a b",
      "/srv/a b",
      [...ssh, "--", "me@host", "sh -c 'echo $HOME'"],
    ],
    [
      "ssh://me@host:2222/srv",
      "ssh://me@host:2222:/srv",
      "/srv",
      [...ssh, "-p", "2222", "--", "me@host", "sh -c 'echo $HOME'"],
    ],
    ["ssh://[::1]:22", "ssh://::1:22", undefined, [...ssh, "-p", "22", "--", "::1", "sh -c 'echo $HOME'"]],
    ["docker:app", "docker:app", undefined, ["docker", "exec", "-i", "app", "sh", "-c", "echo $HOME"]],
    ["podman:app:/src", "podman:app:/src", "/src", ["podman", "exec", "-i", "app", "sh", "-c", "echo $HOME"]],
    [
      "kubernetes:pod",
      "kubernetes:pod",
      undefined,
      ["kubectl", "exec", "-i", "pod", "--", "sh", "-c", "echo $HOME"],
    ],
    [
      "kubernetes:ns/pod/box:/src",
      "kubernetes:ns/pod/box:/src",
      "/src",
      ["kubectl", "exec", "-i", "-n", "ns", "pod", "-c", "box", "--", "sh", "-c", "echo $HOME"],
    ],
    [
      "kubernetes:/pod/box",
      "kubernetes:/pod/box",
      undefined,
      ["kubectl", "exec", "-i", "pod", "-c", "box", "--", "sh", "-c", "echo $HOME"],
    ],
    [
      "devcontainer:/my project",
      "devcontainer:/my project",
      undefined,
      ["devcontainer", "exec", "--workspace-folder", "/my project", "sh", "-c", "echo $HOME"],
    ],
    [
      "command:sudo -u 'a b' env X+docker:y=1",
      "command:sudo -u 'a b' env X+docker:y=1",
      undefined,
      ["sudo", "-u", "a b", "env", "X+docker:y=1", "sh", "-c", "echo $HOME"],
    ],
    [
      "ssh:host+docker:app:/src",
      "ssh:host+docker:app:/src",
      "/src",
      [...ssh, "--", "host", "docker exec -i app sh -c 'echo $HOME'"],
    ],
    [
      "ssh:a+ssh:b",
      "ssh:a+ssh:b",
      undefined,
      [
        ...[...ssh, "--", "a"],
        `ssh -T -o RemoteCommand=none -o ClearAllForwardings=yes -- b 'sh -c '\\''echo $HOME'\\'''`,
      ],
    ],
  ])("parses %s", (text, name, directory, command) => {
    const target = parseTarget(text);
    expect([target.name, target.directory, commandOf(text)]).toEqual([name, directory, command]);
  });

  it("never lets ssh wait for a password without a terminal", () => {
    expect(parseTarget("ssh:host").commandFor(["true"], { mayAsk: false })).toContain("BatchMode=yes");
  });

  it("quotes nested commands so that the innermost program gets its words unchanged", async () => {
    await using folder = temporaryFolder();
    // Passes the line to a shell, as an ssh server does.
    const ssh = '#!/bin/sh\nfor word; do :; done\nexec sh -c "$word"\n';
    writeFileSync(join(folder.path, "ssh"), ssh, { mode: 0o755 });
    const words = ["printf", "%s|", "a b", "'", "$HOME", "`id`", "\\", "x+y", "!!", "a\nb"];
    const [program = "", ...args] = parseTarget("ssh:a+ssh:b").commandFor(words, mayAsk);
    const env = { PATH: `${folder.path}:${process.env.PATH}` };
    expect(execFileSync(program, args, { env }).toString()).toBe(`${words.slice(2).join("|")}|`);
  });

  it.each([
    ["", "does not begin with a known kind"],
    ["host", "does not begin with a known kind"],
    ["ftp:host", "does not begin with a known kind"],
    ["ssh:", "a name is missing"],
    ["ssh:-oProxyCommand=touch /tmp/x", 'begins with "-"'],
    ["ssh:me@-oProxyCommand=x", 'begins with "-"'],
    ["ssh://-oProxyCommand=x:22", 'begins with "-"'],
    ["ssh:a`id`", "special character"],
    ["ssh:a$(id)", "special character"],
    ["ssh://host:99999", "99999 is not a port"],
    ["ssh:a\nb", "control character"],
    ["docker:--privileged", 'begins with "-"'],
    ["docker:a b", "contains a space"],
    ["podman:app:relative", 'the folder "relative" does not begin with "/"'],
    ["ssh:host:22", 'the folder "22" does not begin with "/"'],
    ["kubernetes:--all/pod", 'begins with "-"'],
    ["kubernetes:ns/--pod", 'begins with "-"'],
    ["kubernetes:ns/pod/-c", 'begins with "-"'],
    ["kubernetes:a/b/c/d", "a pod is"],
    ["devcontainer:-x", 'begins with "-"'],
    ["ssh:host+devcontainer:.", ". is not an absolute path"],
    ["command:", "the command is empty"],
    ["ssh:a:/dir+docker:b", "only the last part can have a folder"],
    ["ssh:a+docker:-v", 'begins with "-"'],
  ])("refuses %j", (text, reason) => {
    expect(() => parseTarget(text)).toThrow(reason);
  });
});

it("names a devcontainer by its folder, wherever the name is used", () => {
  expect(parseTarget("devcontainer:sub").name).toBe(`devcontainer:${process.cwd()}/sub`);
});
