import { expect, it } from "vitest";
import { looksLikePrompt } from "./watch-for-prompt.ts";

it.each([
  "Password: ",
  "[sudo] password for ann:",
  "Enter passphrase for key '/home/ann/.ssh/id_ed25519': ",
  "Username for 'https://github.com': ",
  "Continue? [y/N] ",
  "Do you want to continue [Y/n]",
  "Overwrite? (y/n/all) ",
  "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
  "Need to install the following packages:\ncreate-vite@5.0.0\nOk to proceed? (y) ",
  "\u001b[32m?\u001b[39m What is your project named? ",
  "package name: (demo) \r\u001b[KEnter a name: ",
  "Press any key to continue . . . ",
  "Python 3.12\n>>> ",
  "sqlite> ",
  "❯ ",
  "rm: remove regular file 'a'? ",
])("recognizes %j as a prompt", (output) => {
  expect(looksLikePrompt(output)).toBe(true);
});

it.each([
  "",
  "\n",
  "done\n",
  "Password: \n",
  "Continue? [y/N]\nno\n",
  "Compiling 3 files",
  "50%",
  "Downloading https://example.org/a?b=c&d",
  "error: expected one of `!` or `::`",
  "src/main.ts:12:3",
  "PASS  src/a.test.ts",
  "key: value",
  "<html>",
  "a -> b",
])("does not mistake %j for a prompt", (output) => {
  expect(looksLikePrompt(output)).toBe(false);
});

it("takes linear time", () => {
  for (const piece of ["password ", "[y/", "enter ", "a ", "(", "continue "])
    looksLikePrompt(piece.repeat(100_000));
});
