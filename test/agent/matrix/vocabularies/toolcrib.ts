import type { LineChange, Vocabulary } from "../vocabulary.ts";

export const toolcribVocabulary: Vocabulary = {
  read: (path) => ({ name: "file_read", input: { path } }),
  create: (path, content) => ({ name: "file_write", input: { path, content } }),
  edit: (path, find, replace) => ({ name: "edit_replace", input: { path, find, replace } }),
  editMany: (changes) => [
    {
      name: "edit_patch",
      input: { patch: `*** Begin Patch\n${changes.map(update).join("")}*** End Patch\n` },
    },
  ],
  shell: (command) => ({ name: "shell_run", input: { command } }),
  tooLong: (command) => ({ name: "shell_run", input: { command, timeout_ms: 300 } }),
  grep: (pattern) => ({ name: "search_grep", input: { pattern } }),
  glob: (pattern) => ({ name: "search_glob", input: { pattern: `**/${pattern}` } }),
  spawn: (task) => ({ name: "agent_spawn", input: { task } }),
  hearAgent: () => ({ name: "agent_wait", input: { agent: "agent_1" } }),
};

function update({ path, find, replace }: LineChange): string {
  return `*** Update File: ${path}\n@@\n-${find}\n+${replace}\n`;
}
