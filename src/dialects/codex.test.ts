import { expect, it } from "vitest";
import { codexDialect } from "./codex.ts";

it.each([
  ["/bin/zsh", "ls a", "/bin/zsh -c 'ls a'"],
  ["a=b", "ls", "'a=b' -c ls"],
])("exec_command runs the shell %s as a program", async (shell, cmd, command) => {
  const tool = await codexDialect.tools.find(({ name }) => name === "exec_command")!.load();
  expect(tool.resolve({ cmd, shell }).input).toMatchObject({ command });
});
