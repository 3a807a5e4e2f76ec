import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { connectTo, PrivateSocket, socketNames } from "./private-socket.ts";

describe("PrivateSocket", () => {
  it("has a name only while it listens, so that no other program removes it as a leftover", async () => {
    await using folder = temporaryFolder();
    const place = join(folder.path, "live");
    const opening = PrivateSocket.listen(place, "a-", (peer) => peer.send({ hello: true }));
    // The file exists before the first peer can connect.
    expect(readdirSync(place)).toHaveLength(1);
    expect(socketNames(place)).toEqual([]);
    const socket = await opening;
    const [name] = socketNames(place);
    expect(statSync(join(place, name!)).mode & 0o777).toBe(0o600);
    const peer = connectTo(place, name!);
    expect(await new Promise((take, fail) => peer.receive(take, fail))).toEqual({ hello: true });
    peer.end();
    socket.close();
    expect(readdirSync(place)).toEqual([]);
  });
});
