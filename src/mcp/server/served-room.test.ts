import { expect, it } from "vitest";
import { ServedRoom } from "./served-room.ts";

it("opens nothing after it was closed", async () => {
  let opened = 0;
  const room = new ServedRoom(async () => {
    opened += 1;
    throw new Error("nobody closes it");
  });
  await room.close();
  await expect(room.definitions()).rejects.toMatchObject({ code: "unavailable" });
  expect(opened).toBe(0);
});
