import { expect, it } from "vitest";
import { loadPackage } from "./optional-package.ts";

it("names the packages to install", async () => {
  const missing = ["toolcrib", "missing", "package"].join("-");
  await expect(loadPackage(() => import(missing), "bullmq pg")).rejects.toMatchObject({
    code: "unavailable",
    message: "Fleets on several machines need packages that are not installed: bullmq pg.",
    hint: "npm install bullmq pg",
  });
});
