import { expect, it } from "vitest";
import { installCommand, loadPackage } from "./optional-package.ts";

it("names the packages to install", async () => {
  const missing = ["toolcrib", "missing", "package"].join("-");
  await expect(loadPackage(() => import(missing), "bullmq pg")).rejects.toMatchObject({
    code: "unavailable",
    message: "Fleets on several machines need packages that are not installed: bullmq pg.",
    hint: "Run: npm install bullmq pg",
  });
});

it.each([
  ["/home/ada/app/node_modules/toolcrib/dist/cli.cjs", "npm install pg"],
  ["/home/ada/app/node_modules/toolcrib/dist/cli.cjs", "npm install pg", "/home/ada/app/src"],
  ["/srv/my app/node_modules/toolcrib/dist/cli.cjs", "npm install --prefix '/srv/my app' pg"],
  ["/usr/lib/node_modules/toolcrib/dist/cli.cjs", "npm install --global pg"],
  ["/home/ada/.nvm/versions/node/v24.0.0/lib/node_modules/toolcrib/dist/cli.cjs", "npm install --global pg"],
  ["/home/ada/.npm/_npx/0f3/node_modules/toolcrib/dist/cli.cjs", "npm install --global toolcrib pg"],
  ["/home/ada/toolcrib/src/cli/main.ts", "npm install pg"],
])("installs where %s finds packages: %s", (program, command, current = "/home/ada/app") => {
  expect(installCommand("pg", program, current)).toBe(command);
});
