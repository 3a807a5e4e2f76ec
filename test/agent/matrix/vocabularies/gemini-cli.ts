import type { Vocabulary } from "../vocabulary.ts";

const edit: Vocabulary["edit"] = (file_path, old_string, new_string) => ({
  name: "replace",
  input: { file_path, instruction: "As asked", old_string, new_string },
});

export const geminiCliVocabulary: Vocabulary = {
  read: (file_path) => ({ name: "read_file", input: { file_path } }),
  create: (file_path, content) => ({ name: "write_file", input: { file_path, content } }),
  edit,
  editMany: (changes) => changes.map(({ path, find, replace }) => edit(path, find, replace)),
  shell: (command) => ({ name: "run_shell_command", input: { command } }),
  // Its commands have no timeout: a long one is watched for a while and then continues in the background.
  tooLong: (command) => ({
    name: "run_shell_command",
    input: { command, is_background: true, delay_ms: 300 },
  }),
  grep: (pattern) => ({ name: "grep_search", input: { pattern } }),
  glob: (pattern) => ({ name: "glob", input: { pattern: `**/${pattern}` } }),
  spawn: (task) => ({ name: "spawn_agent", input: { task } }),
  hearAgent: () => ({ name: "wait", input: { agent_id: "agent_1" } }),
};
