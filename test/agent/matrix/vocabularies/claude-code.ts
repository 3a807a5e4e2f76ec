import type { Vocabulary } from "../vocabulary.ts";

/** Its file tools require absolute paths. */
export function claudeCodeVocabulary(workspace: string): Vocabulary {
  const at = (path: string) => `${workspace}/${path}`;
  const read: Vocabulary["read"] = (path) => ({ name: "Read", input: { file_path: at(path) } });
  const edit: Vocabulary["edit"] = (path, find, replace) => ({
    name: "Edit",
    input: { file_path: at(path), old_string: find, new_string: replace },
  });
  return {
    read,
    edit,
    create: (path, content) => ({ name: "Write", input: { file_path: at(path), content } }),
    editMany: (changes) => changes.map(({ path, find, replace }) => edit(path, find, replace)),
    shell: (command) => ({ name: "Bash", input: { command, description: "As asked" } }),
    tooLong: (command) => ({ name: "Bash", input: { command, timeout: 300 } }),
    grep: (pattern) => ({ name: "Grep", input: { pattern, output_mode: "content" } }),
    glob: (pattern) => ({ name: "Glob", input: { pattern: `**/${pattern}` } }),
    spawn: (prompt) => ({ name: "Agent", input: { description: "A task", prompt } }),
    hearAgent: () => ({ name: "TaskOutput", input: { task_id: "agent_1" } }),
  };
}
