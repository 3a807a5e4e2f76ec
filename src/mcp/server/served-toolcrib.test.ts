import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { ServedToolcrib } from "./served-toolcrib.ts";

it("opens nothing after it is closed", async () => {
  let opened = 0;
  const served = new ServedToolcrib(async () => {
    opened += 1;
    throw new Error("It would never be closed");
  });
  await served.close();
  await expect(served.definitions()).rejects.toMatchObject({ code: "unavailable" });
  expect(opened).toBe(0);
});

it("stops listening to other servers when it is closed while its instance opens", async () => {
  await using folder = temporaryFolder();
  const heard: string[] = [];
  const offers = {
    onChange: () => {
      heard.push("begin");
      return () => void heard.push("stop");
    },
  };
  const source = {
    tools: [],
    warnings: [],
    ready: Promise.resolve(),
    onChange: () => () => {},
    close: async () => {},
    offers,
  };
  const closed = Promise.withResolvers<void>();
  const served = new ServedToolcrib(async () => {
    await closed.promise;
    return openToolcrib({
      workspace: folder.path,
      stateDirectory: join(folder.path, "state"),
      configDirectory: join(folder.path, "config"),
      sources: [source],
    });
  });
  const opening = served.crib();
  const closing = served.close();
  closed.resolve();
  await Promise.all([opening, closing]);
  expect(heard).toEqual(["begin", "stop"]);
});
