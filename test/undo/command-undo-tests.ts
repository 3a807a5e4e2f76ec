import { expect, it } from "vitest";
import { type openCommandFixture, treeOf } from "../support/journal-scan/command-fixture.ts";

const project = {
  "src/main.ts": "main\n",
  "src/deep/er/module.ts": "module\n",
  "src/binary": new Uint8Array([0, 255, 1, 254]),
  "docs/guide.md": "# Guide\n",
  "README.md": "# Project\n",
  empty: "",
  "name with spaces": "s",
  "new\nline ü": "n",
};

const commands = {
  "removes a tree": "rm -rf src",
  "edits in place": "sed -i s/main/MAIN/ src/main.ts && printf more >> README.md",
  "moves files and directories": "mv README.md src/ && mv src/deep docs/moved && mv docs d",
  "changes permissions": "chmod 755 src/main.ts && chmod 700 src/deep && chmod 444 README.md",
  "creates links": "ln -s src/main.ts link && ln -s nowhere dangling && ln README.md hard",
  "changes entry types":
    "rm -r src && ln -s docs src && rm README.md && mkdir README.md && echo x > README.md/x && rm -r docs && echo d > docs",
  "replaces a directory with a link to outside": "rm -r src && ln -s /tmp src",
  "swaps two files": "mv README.md t && mv src/main.ts README.md && mv t src/main.ts",
  "swaps two directories": "mv src t && mv docs src && mv t docs",
  "hides a change behind the old size and time":
    "printf 'MAIN\\n' > m && touch -r src/main.ts m && cat m > src/main.ts && touch -r m src/main.ts && rm m",
  "creates many files":
    "mkdir -p lib/{a,b,c}/{d,e} && for i in $(seq 100); do echo $i > lib/a/d/$i.js; done && touch lib/b/e/x",
  "works on odd names": "rm 'new\nline ü' && mv 'name with spaces' $'tab\\t' && echo > '*'",
  "creates a large sparse file and removes it":
    "truncate -s 20M sparse && printf x | dd of=sparse bs=1 seek=1000 conv=notrunc status=none && rm empty",
  "fails halfway": "rm README.md && false",
  "writes binary": "head -c 3000 /dev/zero > src/binary && printf '\\377' >> docs/guide.md",
};

export const commandNames = Object.keys(commands) as readonly (keyof typeof commands)[];

/** Registers a test for each command, or for these, which must pass on every machine. */
export function testCommandUndo(
  open: (files: typeof project) => ReturnType<typeof openCommandFixture>,
  names = commandNames,
): void {
  it.each(names.map((name) => [name, commands[name]] as const))(
    "undoes a command that %s",
    async (_, command) => {
      await using fixture = await open(project);
      const before = treeOf(fixture.workspace);
      const call = await fixture.bash(command);
      expect(call.isError).toBe(false);
      const after = treeOf(fixture.workspace);
      const undo = await fixture.undo(call);
      expect([treeOf(fixture.workspace), undo.content]).toEqual([before, ""]);
      const redo = await fixture.undo(undo);
      expect([treeOf(fixture.workspace), redo.content]).toEqual([after, ""]);
    },
  );
}
