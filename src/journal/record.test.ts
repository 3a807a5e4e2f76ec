import { expect, it } from "vitest";
import { folderOf } from "./record.ts";

it.each([
  ["/srv/app", "/srv/app"],
  ["ssh:host:/srv/app", "/srv/app"],
  ["ssh://user@host:2222:/srv/app", "/srv/app"],
  ["ssh:host+docker:app:/srv", "/srv"],
  ["kubernetes:space/pod:/srv", "/srv"],
  ["kubernetes:space/pod", "/"],
  ["devcontainer:/home/me/project", "/"],
  ["command:/usr/bin/enter web", "/"],
  ["ssh:host", "/"],
])("the folder of %s on its machine is %s", (workspace, folder) => {
  expect(folderOf(workspace)).toBe(folder);
});
