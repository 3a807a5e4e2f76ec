import type { ScriptedCall } from "../../../providers/provider-server.ts";
import type { LineChange, Vocabulary } from "../vocabulary.ts";

export const codexVocabulary: Vocabulary = {
  read: (path) => command(`cat '${path}'`),
  create: (path, content) => patch(`*** Add File: ${path}\n${content.replace(/^(?!$)/gm, "+")}`),
  edit: (path, find, replace) => patch(update({ path, find, replace })),
  editMany: (changes) => [patch(changes.map(update).join(""))],
  shell: command,
  tooLong: (cmd) => ({ name: "exec_command", input: { cmd, yield_time_ms: 250 } }),
  grep: (pattern) => command(`grep -rn '${pattern}' .`),
  glob: (pattern) => command(`find . -name '${pattern}'`),
  spawn: (message) => ({ name: "spawn_agent", input: { message } }),
  hearAgent: () => ({ name: "wait_agent", input: { targets: ["agent_1"], timeout_ms: 60_000 } }),
};

function command(cmd: string): ScriptedCall {
  return { name: "exec_command", input: { cmd } };
}

function patch(hunks: string): ScriptedCall {
  return { name: "apply_patch", input: { input: `*** Begin Patch\n${hunks}*** End Patch\n` } };
}

function update({ path, find, replace }: LineChange): string {
  return `*** Update File: ${path}\n@@\n-${find}\n+${replace}\n`;
}
