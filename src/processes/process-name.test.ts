import { expect, it } from "vitest";
import { checkName, nameFor } from "./process-table.ts";

it.each([
  ["npm run dev", "npm-run-dev"],
  ["python3 -m http.server 8000", "python3-http.server-8000"],
  ["cd web && PORT=3000 exec npm start", "npm-start"],
  ["./node_modules/.bin/vite --host 0.0.0.0", "vite-0.0.0.0"],
  ["tail -f log.txt | grep error", "grep-error"],
  ['node -e "setInterval(() => {}, 1000)"', "node"],
  ["sleep 100 &", "sleep-100"],
  ["(cd a; b)", "b"],
  ['"$(rm -rf /)"', "process"],
  ["", "process"],
  ["x".repeat(100), "x".repeat(40)],
])("names %j %s", (command, name) => {
  expect(nameFor(command, () => false)).toBe(name);
});

it("numbers processes with the same name", () => {
  const names = new Set<string>();
  for (let count = 0; count < 3; count += 1) names.add(nameFor("npm test", (name) => names.has(name)));
  expect([...names]).toEqual(["npm-test", "npm-test-2", "npm-test-3"]);
});

it.each(["", "-x", "a b", "a/b", "a\n", "ä", "x".repeat(65)])("refuses the name %j", (name) => {
  expect(() => checkName(name)).toThrow(`"${name}" cannot be the name of a process`);
});
